import type { Protocol } from '../manifests/protocol-manifest.js';

/**
 * Validations of a training that nothing ends early, the untrained model's included. In a validated epoch there is one
 * after every ⌊steps / validationsPerEpoch⌋ steps, as by Lightning's `val_check_interval`: where that does not divide
 * the steps, more of them than the protocol names; with fewer steps, one a step.
 * @param inputsPerEpoch at least 1
 */
export function validationCount(
  protocol: Pick<
    Protocol,
    'epochs' | 'validateEvery' | 'validationsPerEpoch' | 'validateUntrained' | 'batchSize' | 'dropLast'
  >,
  inputsPerEpoch: number,
): number {
  const batches = inputsPerEpoch / protocol.batchSize;
  const steps = protocol.dropLast && batches >= 1 ? Math.floor(batches) : Math.ceil(batches);
  const interval = Math.max(1, Math.floor(steps / protocol.validationsPerEpoch));
  const validatedEpochs = Math.ceil(protocol.epochs / protocol.validateEvery);
  return validatedEpochs * Math.floor(steps / interval) + (protocol.validateUntrained ? 1 : 0);
}
