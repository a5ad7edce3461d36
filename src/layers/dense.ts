import { linear } from '../engine/ops/linear.js';
import type { Tensor2D } from '../engine/tf.js';
import { uniformByFanIn, type Scope } from './parameters.js';

/** Linear layer with bias: [rows, inFeatures] → [rows, outFeatures]. kernel [inFeatures, outFeatures] */
export function dense(scope: Scope, inFeatures: number, outFeatures: number): (x: Tensor2D) => Tensor2D {
  const kernel = scope.parameter('kernel', [inFeatures, outFeatures], uniformByFanIn(inFeatures), 'kernel');
  const bias = scope.parameter('bias', [outFeatures], uniformByFanIn(inFeatures), 'bias');
  return (x) => linear(x, kernel, bias) as Tensor2D;
}
