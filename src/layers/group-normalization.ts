import { groupNorm } from '../engine/ops/norm.js';
import type { Tensor } from '../engine/tf.js';
import { ones, zeros, type Scope } from './parameters.js';

export interface GroupNormalizationOptions {
  readonly channels: number;
  readonly groups: number;
  /** Default 1e-5. */
  readonly epsilon?: number;
}

/** Normalises groups of neighbouring channels over all positions of a sample: [batch, ...positions, channels]. */
export function groupNormalization(
  scope: Scope,
  { channels, groups, epsilon = 1e-5 }: GroupNormalizationOptions,
): <T extends Tensor>(x: T) => T {
  const scale = scope.parameter('scale', [channels], ones, 'scale');
  const offset = scope.parameter('offset', [channels], zeros, 'offset');
  return (x) => groupNorm(x, scale, offset, { groups, epsilon });
}
