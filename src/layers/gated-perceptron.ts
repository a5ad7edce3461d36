import { silu } from '../engine/ops/activations-smooth.js';
import { tf, type Tensor } from '../engine/tf.js';
import { dense } from './dense.js';
import type { Scope } from './parameters.js';

export interface GatedPerceptronOptions {
  readonly width: number;
  /** Width between the layers. */
  readonly hidden: number;
  /** Default true. */
  readonly bias?: boolean;
  /** Default SiLU (SwiGLU). */
  readonly activation?: <T extends Tensor>(x: T) => T;
  /** Names of the gate, of what it lets through, and of the last layer; default timm's. */
  readonly names?: readonly [gate: string, value: string, out: string];
}

/** out(activation(gate(x)) · value(x)): [..., width] → [..., width]. */
export function gatedPerceptron(
  scope: Scope,
  options: GatedPerceptronOptions,
): <T extends Tensor>(x: T) => T {
  const { width, hidden, bias = true, activation = silu, names = ['fc1_g', 'fc1_x', 'fc2'] } = options;
  const gate = dense(scope.child(names[0]), width, hidden, { bias });
  const value = dense(scope.child(names[1]), width, hidden, { bias });
  const out = dense(scope.child(names[2]), hidden, width, { bias });
  return <T extends Tensor>(x: T) => out(tf.mul(activation(gate(x)), value(x))) as T;
}
