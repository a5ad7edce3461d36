import { gelu } from '../engine/ops/activations-smooth.js';
import { linear } from '../engine/ops/linear.js';
import type { Tensor } from '../engine/tf.js';
import { uniformByFanIn, type Initializer, type Scope } from './parameters.js';

export interface DenseOptions {
  /** Default true. */
  readonly bias?: boolean;
  /** Of the kernel; default PyTorch's: uniform on ±√(1 / fan-in). */
  readonly initializer?: Initializer;
  /** Of the result; default none. */
  readonly activation?: <T extends Tensor>(x: T) => T;
}

/** Linear layer over the last axis: [..., inFeatures] → [..., outFeatures]. kernel [inFeatures, outFeatures] */
export function dense(
  scope: Scope,
  inFeatures: number,
  outFeatures: number,
  { bias = true, initializer = uniformByFanIn(inFeatures), activation }: DenseOptions = {},
): <T extends Tensor>(x: T) => T {
  const kernel = scope.parameter('kernel', [inFeatures, outFeatures], initializer, 'kernel');
  const offset = bias
    ? scope.parameter('bias', [outFeatures], uniformByFanIn(inFeatures), 'bias')
    : undefined;
  if (activation === gelu) return <T extends Tensor>(x: T) => linear(x, kernel, offset, 'gelu') as T;
  return <T extends Tensor>(x: T) => {
    const y = linear(x, kernel, offset) as T;
    return activation ? activation(y) : y;
  };
}
