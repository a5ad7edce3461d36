import { layerNorm } from '../engine/ops/norm.js';
import { tf, type Tensor } from '../engine/tf.js';
import { ones, zeros, type Scope } from './parameters.js';

export interface LayerNormalizationOptions {
  readonly channels: number;
  /** Default 1e-5. */
  readonly epsilon?: number;
  /** Default true. */
  readonly bias?: boolean;
}

/** Layer normalisation over the last axis. */
export function layerNormalization(
  scope: Scope,
  { channels, epsilon = 1e-5, bias = true }: LayerNormalizationOptions,
): <T extends Tensor>(x: T) => T {
  const scale = scope.parameter('scale', [channels], ones, 'scale');
  const offset = bias ? scope.parameter('offset', [channels], zeros, 'offset') : undefined;
  return (x) => layerNorm(x, scale, offset ?? tf.zeros([channels]), epsilon);
}
