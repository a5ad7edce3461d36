import { layerNorm } from '../engine/ops/norm.js';
import { tf, type Tensor } from '../engine/tf.js';
import { ones, zeros, type Scope } from './parameters.js';

export interface LayerNormalizationOptions {
  readonly channels: number;
  /** Default 1e-5. */
  readonly epsilon?: number;
  /** Default true; `constant`: the checkpoint has one, and training leaves it as it is. */
  readonly bias?: boolean | 'constant';
}

/** Layer normalisation over the last axis. */
export function layerNormalization(
  scope: Scope,
  { channels, epsilon = 1e-5, bias = true }: LayerNormalizationOptions,
): <T extends Tensor>(x: T) => T {
  const scale = scope.parameter('scale', [channels], ones, 'scale');
  const offset = bias
    ? scope.parameter('offset', [channels], zeros, bias === 'constant' ? bias : 'offset')
    : undefined;
  return (x) => layerNorm(x, scale, offset ?? tf.zeros([channels]), epsilon);
}
