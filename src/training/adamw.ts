import { createAdamSlot, prepareAdamStep } from '../engine/adam-slot.js';
import { tf, type Tensor } from '../engine/tf.js';
import type { Parameter } from '../layers/parameters.js';

export interface ParameterGroup {
  readonly parameters: readonly Parameter[];
  readonly learningRate: number;
  /** Decoupled: value ← value · (1 − learningRate · weightDecay), before the gradient step. */
  readonly weightDecay: number;
}

export interface AdamWOptions {
  /** Defaults 0.9, 0.999, 1e-8: PyTorch's. */
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** A rule that moves parameters by their gradients and remembers moments between steps. */
export interface Optimizer {
  /** Parameters it moves, in the order in which `step` expects the gradients. */
  readonly parameters: readonly Parameter[];
  /** One step; the gradients stay with the caller. */
  step(gradients: readonly Tensor[]): void;
  dispose(): void;
}

/** Adam with decoupled weight decay and bias correction, as PyTorch's AdamW computes it. */
export function adamW(groups: readonly ParameterGroup[], options: AdamWOptions = {}): Optimizer {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = options;
  const slots = groups.map(({ parameters }) => parameters.map(({ variable }) => createAdamSlot(variable)));
  let count = 0;
  return {
    parameters: groups.flatMap(({ parameters }) => parameters),
    step(gradients) {
      count += 1;
      let next = 0;
      for (const [index, { learningRate, weightDecay }] of groups.entries()) {
        const decay = 1 - learningRate * weightDecay;
        const step = prepareAdamStep({ learningRate, beta1, beta2, epsilon, decay, count });
        for (const slot of slots[index]!) slot.apply(gradients[next++]!, step);
        tf.dispose([...step.scalars]);
      }
    },
    dispose: () => slots.flat().forEach((slot) => slot.dispose()),
  };
}
