import type { Protocol } from '../manifests/protocol-manifest.js';

/** Steps of an epoch: an incomplete batch counts, unless it is left out and there is another. */
export const stepCount = (
  inputCount: number,
  { batchSize, dropLast }: Pick<Protocol, 'batchSize' | 'dropLast'>,
): number =>
  dropLast && inputCount >= batchSize
    ? Math.floor(inputCount / batchSize)
    : Math.ceil(inputCount / batchSize);

/** Steps between two validations of a validated epoch. */
export const validationInterval = (
  steps: number,
  { validationsPerEpoch }: Pick<Protocol, 'validationsPerEpoch'>,
): number => Math.max(1, Math.floor(steps / validationsPerEpoch));

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
  const steps = stepCount(inputsPerEpoch, protocol);
  const interval = validationInterval(steps, protocol);
  const validatedEpochs = Math.ceil(protocol.epochs / protocol.validateEvery);
  return validatedEpochs * Math.floor(steps / interval) + (protocol.validateUntrained ? 1 : 0);
}
