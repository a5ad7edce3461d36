import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Parameter } from '../layers/parameters.js';
import { createOptimizer } from './optimizers/create-optimizer.js';
import { decayGroups } from './optimizers/decay-groups.js';
import type { Optimizer, ParameterGroup } from './optimizers/optimizer.js';
import type { EncodingModel } from './task-model.js';

/** The protocol's optimiser over the decoder and, unless it is frozen, the encoder, each with its rate. */
export function optimizerFor(
  { parameters }: Pick<EncodingModel, 'parameters'>,
  protocol: Protocol,
  isFrozen: boolean,
): Optimizer {
  const {
    optimizer: name,
    learningRate,
    encoderLearningRate,
    weightDecay,
    momentum,
    gradientClip,
  } = protocol;
  const group = (part: string, rate: number): ParameterGroup[] => {
    const trained: Parameter[] = parameters.under(part).filter(({ variable }) => variable.trainable);
    const rates = { learningRate: rate, weightDecay };
    return protocol.spareNorms ? decayGroups(trained, rates) : [{ parameters: trained, ...rates }];
  };
  return createOptimizer({
    name,
    groups: [
      ...group('decoder', learningRate),
      ...(isFrozen ? [] : group('encoder', encoderLearningRate ?? learningRate)),
    ],
    ...(name === 'sgd' && { momentum, nesterov: momentum > 0 }),
    ...(gradientClip !== null && { clipNorm: gradientClip }),
  });
}
