import type { Tensor } from '../../engine/tf.js';
import type { Parameter } from '../../layers/parameters.js';

/** Parameters that are moved alike. */
export interface ParameterGroup {
  readonly parameters: readonly Parameter[];
  /** Of this group; a step multiplies it by the schedule's factor. */
  readonly learningRate: number;
  /** `adamw`: value ← value · (1 − rate · weightDecay) before the step. `adam`, `sgd`: value · weightDecay joins the gradient. */
  readonly weightDecay: number;
}

/** A rule that moves parameters by their gradients and remembers what it needs between steps. */
export interface Optimizer {
  /** What it moves, group after group: the order in which `step` expects the gradients. */
  readonly parameters: readonly Parameter[];
  /**
   * One step; the gradients stay with the caller.
   * @param rateFactor multiplies the rate of every group; default 1
   */
  step(gradients: readonly Tensor[], rateFactor?: number): void;
  /**
   * All that it remembers, for a run that is to go on bit for bit: `step`, the count of steps, and for each moment
   * and parameter `moment/parameter`, e.g. `mean/decoder/head/kernel`, in memory order.
   */
  state(): Map<string, Float32Array>;
  /** @throws InputError OPTIMIZER_STATE where the state is of other parameters; nothing is changed then */
  restore(state: ReadonlyMap<string, Float32Array>): void;
  dispose(): void;
}
