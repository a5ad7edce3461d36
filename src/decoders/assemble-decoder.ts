import { InputError } from '../errors.js';
import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import type { DecoderFamily, DecoderOptions } from './decoder.js';
import type { Neck } from './necks/neck.js';
import { rescaledPyramid } from './necks/rescaled-pyramid.js';
import type { BuildNeck } from './necks/registry.js';
import type { BuildFusion, TemporalFusion } from './temporal/temporal-fusion.js';

export interface DecoderParts extends Omit<DecoderOptions, 'features'> {
  /** What the encoder hands over, finest first, plain transformers by depth. */
  readonly features: readonly FeatureSpec[];
  readonly decoder: DecoderFamily;
  /** Between encoder and decoder; null: none. Default: a pyramid by PANGAEA's rule where the decoder needs one. */
  readonly neck?: BuildNeck | null;
  /** What makes one map of several dates; due where the encoder gives a map a date. */
  readonly fusion?: BuildFusion;
  /** Dates of a series; default 1. */
  readonly dateCount?: number;
}

/**
 * Feature maps of an encoder, [batch, height, width, channels] or [batch, time, height, width, channels], → logits
 * [batch, height, width, class].
 */
export type AssembledDecoder = (
  features: readonly (Tensor4D | Tensor5D)[],
  size: { readonly height: number; readonly width: number },
  context: ForwardContext,
) => Tensor4D;

/**
 * Temporal fusion, neck and decoder, one behind the other, so that any encoder meets any decoder. Parameters have the
 * names of PANGAEA's checkpoints: `tmap`, `ltae_adaptor`, `neck`, and the decoder's own.
 * @throws InputError FEATURE_COUNT, TIME_STEPS, HYPERPARAMETERS_INVALID
 */
export function assembleDecoder(scope: Scope, parts: DecoderParts): AssembledDecoder {
  const { features, decoder, neck, fusion, dateCount = 1, ...options } = parts;
  const fused = fusion?.(scope, features, { dateCount });
  const given = fused?.features ?? features;
  const between = neckBetween(scope.child('neck'), given, decoder, neck);
  const build = decoder.build(scope, { ...options, features: between?.features ?? given });
  return (maps, size, context) => {
    const single = singleDates(maps, fused, context);
    return build(between ? between.run(single, context) : single, size, context);
  };
}

function neckBetween(
  scope: Scope,
  features: readonly FeatureSpec[],
  { takesPyramid = false }: DecoderFamily,
  neck: BuildNeck | null | undefined,
): Neck | undefined {
  if (neck) return neck(scope, features);
  if (neck === null || !takesPyramid || features.length < 2) return undefined;
  const isPlain = features.every(({ stride }) => stride === features[0]!.stride);
  return isPlain ? rescaledPyramid(scope, features) : undefined;
}

/** Maps without a time axis: those that have one are fused, or are of one date. */
function singleDates(
  maps: readonly (Tensor4D | Tensor5D)[],
  fusion: TemporalFusion | undefined,
  context: ForwardContext,
): Tensor4D[] {
  if (fusion) {
    const series = maps.map((map) => (map.rank === 5 ? map : tf.expandDims(map, 1)) as Tensor5D);
    return fusion.run(series, context);
  }
  return maps.map((map) => {
    if (map.rank === 4) return map as Tensor4D;
    if (map.shape[1] === 1) return tf.squeeze(map, [1]) as Tensor4D;
    throw new InputError(
      'TIME_STEPS',
      `The features have ${map.shape[1]} dates, and the decoder takes one map.`,
      {
        where: 'features',
        hint: 'Name a temporal fusion, such as temporal-linear or temporal-ltae.',
      },
    );
  });
}
