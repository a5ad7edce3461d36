import type { Tensor } from '../engine/tf.js';
import { dense } from './dense.js';
import type { Scope } from './parameters.js';

export interface PerceptronOptions {
  readonly width: number;
  /** Width between the two layers. */
  readonly hidden: number;
  readonly activation: <T extends Tensor>(x: T) => T;
  /** Default true. */
  readonly bias?: boolean;
  /** Names of the two layers; default `fc1` and `fc2`. */
  readonly names?: readonly [string, string];
}

/** Two linear layers with an activation between them: [..., width] → [..., width]. */
export function perceptron(scope: Scope, options: PerceptronOptions): <T extends Tensor>(x: T) => T {
  const { width, hidden, activation, bias = true, names = ['fc1', 'fc2'] } = options;
  const first = dense(scope.child(names[0]), width, hidden, { bias, activation });
  const second = dense(scope.child(names[1]), hidden, width, { bias });
  return (x) => second(first(x));
}
