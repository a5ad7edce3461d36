import { InputError } from '../../errors.js';
import type { Tensor4D, Tensor5D } from '../../engine/tf.js';
import type { FeatureSpec } from '../../encoders/encoder.js';
import type { ForwardContext } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';

/** Makes one map of the maps of several dates, before neck and decoder. */
export interface TemporalFusion {
  /** Of the maps that it gives. */
  readonly features: readonly FeatureSpec[];
  /** [batch, time, height, width, channels] each → [batch, height, width, channels] each */
  readonly run: (series: readonly Tensor5D[], context: ForwardContext) => Tensor4D[];
}

export interface FusionOptions {
  /** Dates of a series, where each has a weight of its own or a place. */
  readonly dateCount: number;
}

/** Creates the parameters below `scope`, which is the decoder's: names are those of PANGAEA's checkpoints. */
export type BuildFusion = (
  scope: Scope,
  features: readonly FeatureSpec[],
  options: FusionOptions,
) => TemporalFusion;

/** @throws InputError TIME_STEPS where a series has another length than a fusion is built for */
export function checkDates(fusion: string, series: Tensor5D, dateCount: number): void {
  const dates = series.shape[1];
  if (dates === dateCount) return;
  throw new InputError(
    'TIME_STEPS',
    `The series has ${dates} dates, and ${fusion} is built for ${dateCount}.`,
    {
      where: 'features',
      hint: 'Choose as many dates, or build the decoder for these.',
    },
  );
}
