import { batchNorm, batchNormTraining } from '../engine/ops/batch-norm.js';
import { tf, type Tensor1D, type Variable } from '../engine/tf.js';
import type { Layer } from './layer.js';
import { ones, zeros, type Scope } from './parameters.js';

export interface BatchNormalizationOptions {
  readonly channels: number;
  /** Default 1e-5. */
  readonly epsilon?: number;
  /** Share of the new batch in the running statistics; default 0.1 (PyTorch's meaning). */
  readonly momentum?: number;
}

/**
 * Batch normalisation over batch, height and width. In training it normalises by the batch and moves
 * the running statistics; in evaluation it uses them and changes nothing.
 */
export function batchNormalization(scope: Scope, options: BatchNormalizationOptions): Layer {
  const { channels, epsilon = 1e-5, momentum = 0.1 } = options;
  const scale = scope.parameter('scale', [channels], ones, 'scale');
  const offset = scope.parameter('offset', [channels], zeros, 'offset');
  const mean = scope.parameter('mean', [channels], zeros, 'statistic');
  const variance = scope.parameter('variance', [channels], ones, 'statistic');
  const vector = (variable: Variable): Tensor1D => variable as unknown as Tensor1D;

  return (x, { training }) => {
    if (!training)
      return batchNorm(x, vector(mean), vector(variance), vector(scale), vector(offset), epsilon);
    const running = { mean: vector(mean), variance: vector(variance), momentum };
    const result = batchNormTraining(x, vector(scale), vector(offset), epsilon, running);
    mean.assign(result.mean);
    variance.assign(result.variance);
    tf.dispose([result.mean, result.variance]);
    return result.y;
  };
}
