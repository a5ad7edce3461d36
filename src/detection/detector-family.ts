import { z } from 'zod';
import { assembleFront, namingMisfits, type FrontParts } from '../decoders/assemble-decoder.js';
import { decoderHyperparameters, decoderMisfit } from '../decoders/decoder.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { Tensor4D, Tensor5D } from '../engine/tf.js';
import type { Scope } from '../layers/parameters.js';
import { buildDetector, type Detector, type DetectorOptions } from './faster-rcnn.js';
import { ANCHOR_SIZES, geoBench2Detector, geoBench2MaskDetector } from './geobench2-detector.js';

const count = z.int().positive();
const shared = {
  pyramidChannels: count.default(256),
  /** Roots of the anchors' areas, one a level; so many maps are used, the coarsest. null: 32, 64, 128, 256, or the last of them. */
  anchorSizes: z.array(z.number().positive()).min(1).nullable().default(null),
  /** Height over width. */
  anchorRatios: z.array(z.number().positive()).min(1).default([0.5, 1, 2]),
  /** Hidden units in front of the classes. */
  headWidth: count.default(1024),
  /** Of an image in training: best anchors of a level, and proposals. */
  trainingProposals: count.default(2000),
  /** The same in evaluation. */
  proposals: count.default(1000),
  /** Anchors of an image that are trained on. */
  anchorBatch: count.default(256),
  /** Proposals of an image that are trained on. */
  boxBatch: count.default(512),
  /** Least probability of a detection. */
  minScore: z.number().min(0).lt(1).default(0.05),
  /** Most detections of an image. */
  detections: count.default(100),
};
const WIDTHS = [256, 256, 256, 256];
const boxHyperparameters = z.strictObject(shared);
const maskHyperparameters = z.strictObject({
  ...shared,
  /** Widths of the convolutions in front of the hidden units. */
  headConvolutions: z.array(count).default(WIDTHS),
  /** Widths of the convolutions of the masks. */
  maskConvolutions: z.array(count).default(WIDTHS),
  maskWidth: count.default(256),
});
type BoxHyperparameters = z.infer<typeof boxHyperparameters>;

/** A detector as studies name it: what goes where a decoder goes, for tasks of objects. */
export interface DetectorFamily {
  readonly id: string;
  readonly predicts: 'objects';
  readonly takesPyramid: true;
  /** Whether objects have masks, or boxes alone. */
  readonly hasMasks: boolean;
  /** Gives hyperparameters their defaults, and throws for those that it does not take. */
  readonly hyperparameters: { readonly parse: (given: unknown) => unknown };
  /** @throws InputError HYPERPARAMETERS_INVALID, DECODER_MISFIT */
  readonly build: (
    scope: Scope,
    options: {
      /** Finest first. */
      readonly features: readonly FeatureSpec[];
      /** Background, class 0, included. */
      readonly classCount: number;
      readonly hyperparameters?: Readonly<Record<string, unknown>>;
    },
  ) => Detector;
}

/** Faster R-CNN (Ren et al. 2015) in GEO-Bench-2's form, unless its hyperparameters say otherwise. */
export const fasterRcnn: DetectorFamily = {
  ...{ id: 'faster-rcnn', predicts: 'objects', takesPyramid: true, hasMasks: false },
  hyperparameters: boxHyperparameters,
  build(scope, { features, classCount, hyperparameters: given }) {
    const chosen = decoderHyperparameters('faster-rcnn', boxHyperparameters, given);
    const { channels, anchors } = levelsOf(features, chosen);
    const options = geoBench2Detector({ channels, classCount });
    return onCoarsest(
      buildDetector(scope, { ...options, ...settingsOf(options, chosen), anchors }),
      channels,
    );
  },
};

/** Mask R-CNN (He et al. 2017) in GEO-Bench-2's form, unless its hyperparameters say otherwise. */
export const maskRcnn: DetectorFamily = {
  ...{ id: 'mask-rcnn', predicts: 'objects', takesPyramid: true, hasMasks: true },
  hyperparameters: maskHyperparameters,
  build(scope, { features, classCount, hyperparameters: given }) {
    const chosen = decoderHyperparameters('mask-rcnn', maskHyperparameters, given);
    const { channels, anchors } = levelsOf(features, chosen);
    const options = geoBench2MaskDetector({ channels, classCount });
    const detector = buildDetector(scope, {
      ...{ ...options, ...settingsOf(options, chosen), anchors },
      headConvolutions: chosen.headConvolutions,
      mask: { ...options.mask!, widths: chosen.maskConvolutions, predictorWidth: chosen.maskWidth },
    });
    return onCoarsest(detector, channels);
  },
};

/** The maps that are used, and their anchors. @throws InputError DECODER_MISFIT */
function levelsOf(
  features: readonly FeatureSpec[],
  { anchorSizes, anchorRatios: aspectRatios }: Pick<BoxHyperparameters, 'anchorSizes' | 'anchorRatios'>,
): Pick<DetectorOptions, 'channels' | 'anchors'> {
  const sizes = anchorSizes ?? ANCHOR_SIZES.slice(-Math.min(features.length, ANCHOR_SIZES.length));
  if (sizes.length > features.length) {
    throw decoderMisfit(
      `There are ${features.length} maps, and anchor sizes for ${sizes.length}.`,
      'Give anchorSizes for at most as many levels as there are maps.',
    );
  }
  return {
    channels: features.slice(-sizes.length).map(({ channels }) => channels),
    anchors: sizes.map((size) => ({ sizes: [size], aspectRatios })),
  };
}

const settingsOf = (base: DetectorOptions, chosen: BoxHyperparameters) => ({
  pyramidChannels: chosen.pyramidChannels,
  headWidth: chosen.headWidth,
  proposals: {
    ...base.proposals,
    batchSize: chosen.anchorBatch,
    training: { candidates: chosen.trainingProposals, count: chosen.trainingProposals },
    evaluation: { candidates: chosen.proposals, count: chosen.proposals },
  },
  boxes: { ...base.boxes, batchSize: chosen.boxBatch },
  detections: { ...base.detections, minScore: chosen.minScore, count: chosen.detections },
});

/** The detector behind the last of the maps it is given. */
const onCoarsest = (detector: Detector, { length }: readonly number[]): Detector => ({
  losses: (maps, ...rest) => detector.losses(maps.slice(-length), ...rest),
  detect: (maps, ...rest) => detector.detect(maps.slice(-length), ...rest),
});

export interface DetectorParts extends Omit<FrontParts, 'decoder'> {
  readonly decoder: DetectorFamily;
  /** Background, class 0, included. */
  readonly classCount: number;
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
}

type OfEncoder = readonly (Tensor4D | Tensor5D)[];

/** A detector behind maps as the encoder gives them, with a time axis or without. */
export interface AssembledDetector {
  readonly losses: (
    maps: OfEncoder,
    ...rest: Tail<Parameters<Detector['losses']>>
  ) => ReturnType<Detector['losses']>;
  readonly detect: (
    maps: OfEncoder,
    ...rest: Tail<Parameters<Detector['detect']>>
  ) => ReturnType<Detector['detect']>;
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

/**
 * Temporal fusion, neck and detector, one behind the other, so that any encoder meets any detector.
 * @throws InputError DECODER_MISFIT, TIME_STEPS, HYPERPARAMETERS_INVALID
 */
export function assembleDetector(scope: Scope, parts: DetectorParts): AssembledDetector {
  const { decoder, classCount, hyperparameters } = parts;
  const front = assembleFront(scope, parts);
  const detector = namingMisfits(parts, () =>
    decoder.build(scope, {
      ...{ features: front.features, classCount },
      ...(hyperparameters && { hyperparameters }),
    }),
  );
  return {
    losses: (maps, frames, targets, context, permutation) =>
      detector.losses(front.run(maps, context), frames, targets, context, permutation),
    // the detector frees what it makes; the front is the caller's
    detect: (maps, frames, context) => detector.detect(front.run(maps, context), frames, context),
  };
}
