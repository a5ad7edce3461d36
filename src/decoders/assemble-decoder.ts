import { InputError } from '../errors.js';
import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { isImageTask } from '../manifests/answer-task.js';
import {
  decoderMisfit,
  featureShapes,
  type DecoderFamily,
  type DecoderOptions,
  type DecoderTask,
  type Logits,
  type PixelTask,
} from './decoder.js';
import type { Neck } from './necks/neck.js';
import { rescaledPyramid } from './necks/rescaled-pyramid.js';
import type { BuildNeck } from './necks/registry.js';
import type { BuildFusion, TemporalFusion } from './temporal/temporal-fusion.js';

export interface DecoderParts<T extends DecoderTask = DecoderTask> extends Omit<DecoderOptions, 'task'> {
  /** Of a dataset's manifest; default `segmentation`. */
  readonly task?: T;
  readonly decoder: DecoderFamily;
  /** Whose maps they are, for errors. */
  readonly encoder?: string;
  /** Between encoder and decoder; null: none. Default: a pyramid by PANGAEA's rule where the decoder needs one. */
  readonly neck?: BuildNeck | null;
  /** Where `neck` is left to the decoder: the one that makes a pyramid of maps of one size. Default PANGAEA's. */
  readonly pyramid?: BuildNeck;
  /** What makes one map of several dates, of the two of a change too; due where the encoder gives a map a date. */
  readonly fusion?: BuildFusion;
  /** Dates of a series; default 1. */
  readonly dateCount?: number;
}

/** What stands between an encoder's maps and a decoder or detector. */
export type FrontParts = Pick<
  DecoderParts,
  'features' | 'encoder' | 'neck' | 'pyramid' | 'fusion' | 'dateCount'
> & { readonly decoder: Pick<DecoderFamily, 'id' | 'takesPyramid'> };

export interface AssembledFront {
  /** Of the maps that it gives. */
  readonly features: readonly FeatureSpec[];
  /**
   * Feature maps as the encoder gives them, [batch, height, width, channels] or [batch, time, height, width, channels]
   * → one of each without a time axis.
   * @throws InputError DECODER_MISFIT for other maps than declared, TIME_STEPS
   */
  readonly run: (maps: readonly (Tensor4D | Tensor5D)[], context: ForwardContext) => Tensor4D[];
}

export interface AssembledDecoder<T extends DecoderTask = PixelTask> {
  readonly task: T;
  /**
   * Feature maps as the encoder gives them, [batch, height, width, channels] or [batch, time, height, width, channels]
   * → logits: [batch, height, width, class], for images [batch, class].
   * @param size of the images, and of the logits
   * @throws InputError DECODER_MISFIT for other maps than declared, TIME_STEPS
   */
  readonly forward: (
    features: readonly (Tensor4D | Tensor5D)[],
    size: { readonly height: number; readonly width: number },
    context: ForwardContext,
  ) => Logits<T>;
}

/**
 * Temporal fusion, neck and decoder, one behind the other, so that any encoder meets any decoder. Parameters have the
 * names of PANGAEA's checkpoints: `tmap`, `ltae_adaptor`, `neck`, and the decoder's own.
 * @throws InputError DECODER_MISFIT, TIME_STEPS, HYPERPARAMETERS_INVALID
 */
export function assembleDecoder<T extends DecoderTask = PixelTask>(
  scope: Scope,
  parts: DecoderParts<T>,
): AssembledDecoder<T> {
  const { decoder, neck: _neck, pyramid: _pyramid, fusion: _fusion, dateCount: _dates, ...options } = parts;
  const { task = 'segmentation' } = options;
  namingMisfits(parts, () => checkTask(decoder, task));
  const front = assembleFront(scope, parts);
  const decode = namingMisfits(parts, () => decoder.build(scope, { ...options, features: front.features }));
  return {
    task: task as T,
    forward: (maps, size, context) => decode(front.run(maps, context), size, context) as Logits<T>,
  };
}

/**
 * Temporal fusion and neck, one behind the other.
 * @throws InputError DECODER_MISFIT, TIME_STEPS
 */
export function assembleFront(scope: Scope, parts: FrontParts): AssembledFront {
  const { features, decoder, neck, pyramid = rescaledPyramid, fusion, dateCount = 1 } = parts;
  const { fused, between } = namingMisfits(parts, () => {
    const made = fusion?.(scope, features, { dateCount });
    const given = made?.features ?? features;
    return { fused: made, between: neckBetween(scope.child('neck'), given, decoder, { neck, pyramid }) };
  });
  return {
    features: between?.features ?? fused?.features ?? features,
    run(maps, context) {
      checkMaps(parts, maps);
      const single = singleDates(maps, fused, context);
      return between ? between.run(single, context) : single;
    },
  };
}

function neckBetween(
  scope: Scope,
  features: readonly FeatureSpec[],
  { takesPyramid = false }: FrontParts['decoder'],
  { neck, pyramid }: { readonly neck: BuildNeck | null | undefined; readonly pyramid: BuildNeck },
): Neck | undefined {
  if (neck) return neck(scope, features);
  if (neck === null || !takesPyramid || features.length < 2) return undefined;
  const isPlain = features.every(({ stride }) => stride === features[0]!.stride);
  return isPlain ? pyramid(scope, features) : undefined;
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

function checkTask({ id, predicts = 'pixels' }: DecoderFamily, task: DecoderTask): void {
  if (isImageTask(task) === (predicts === 'images')) return;
  throw predicts === 'images'
    ? decoderMisfit(
        `${id} tells whole images, and ${task} asks for every pixel.`,
        'Choose a pixel decoder, such as unet-smp.',
      )
    : decoderMisfit(`${id} tells every pixel, and ${task} asks for whole images.`, 'Choose linear-head.');
}

function checkMaps({ features, encoder }: FrontParts, maps: readonly (Tensor4D | Tensor5D)[]): void {
  const whose = encoder === undefined ? 'the encoder' : `encoder "${encoder}"`;
  const hint = 'Correct "features" in its manifest row or "build".';
  if (maps.length !== features.length)
    throw decoderMisfit(
      `There are ${maps.length} feature maps of ${whose}, declared are ${features.length}.`,
      hint,
    );
  for (const [index, { shape }] of maps.entries()) {
    const declared = features[index]!;
    if (shape.at(-1) === declared.channels) continue;
    const declaredShape = featureShapes([declared]);
    throw decoderMisfit(
      `Feature ${index} of ${whose} is [${shape.join(', ')}], declared ${declaredShape}.`,
      hint,
    );
  }
}

/** Runs `build`; a misfit then names encoder, decoder and maps. */
export function namingMisfits<R>({ encoder, decoder, features }: FrontParts, build: () => R): R {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof InputError) || !MISFITS.has(cause.code)) throw cause;
    const whose = encoder === undefined ? 'these maps' : `the maps of encoder "${encoder}"`;
    throw decoderMisfit(
      `Decoder "${decoder.id}" does not fit ${whose}, ${featureShapes(features)}: ${cause.message}`,
      cause.hint,
      cause,
    );
  }
}

const MISFITS: ReadonlySet<string> = new Set(['DECODER_MISFIT', 'FEATURE_COUNT', 'NECK_FACTOR']);
