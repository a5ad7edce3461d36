import { sigmoid } from '../engine/ops/activations-smooth.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Scalar, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { featurePyramid } from '../layers/feature-pyramid.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { gridAnchors, type AnchorShapes } from './anchors.js';
import { boxHead, boxLosses, detectionsOf, sampleProposals } from './box-head.js';
import type { DetectionOptions, Detections, ObjectBoxes } from './box-head.js';
import { boxCount, takeBoxes, type Boxes } from './boxes.js';
import type { ImageBatch } from './image-transform.js';
import { maskHead, maskLoss, masksOfClass } from './mask-head.js';
import type { MatchThresholds } from './matcher.js';
import { proposalHead, proposalLosses, proposeBoxes, type ProposalOptions } from './region-proposals.js';
import { pyramidRoiAlign } from './roi-align.js';
import type { Permutation, SamplerOptions } from './sampler.js';

export interface MaskBranchOptions {
  /** Side of the crops; masks have twice as many pixels. */
  readonly cropSize: number;
  readonly widths: readonly number[];
  /** Whether its convolutions are batch-normalised. Default false. */
  readonly isNormalized?: boolean;
  readonly predictorWidth: number;
}

export interface DetectorOptions {
  /** Channels of the encoder's or neck's maps, finest first. */
  readonly channels: readonly number[];
  /** Background, class 0, included. */
  readonly classCount: number;
  readonly pyramidChannels: number;
  /** One a level: as many as maps, or one more for a pooled level behind them. */
  readonly anchors: readonly AnchorShapes[];
  readonly cropSize: number;
  /** Samples a bin and side; default 2. */
  readonly samples?: number | 'adaptive';
  readonly headWidth: number;
  /** Of batch-normalised 3 × 3 convolutions in front of the box head's hidden layer. Default none: two hidden layers. */
  readonly headConvolutions?: readonly number[];
  /** 3 × 3 convolutions of the proposal network. Default 1. */
  readonly proposalDepth?: number;
  /** `candidates` and `count` in training and in evaluation. */
  readonly proposals: Omit<ProposalOptions, 'candidates' | 'count'> & {
    readonly training: Pick<ProposalOptions, 'candidates' | 'count'>;
    readonly evaluation: Pick<ProposalOptions, 'candidates' | 'count'>;
  };
  readonly boxes: SamplerOptions & MatchThresholds;
  readonly detections: DetectionOptions;
  /** Of Mask R-CNN; default none: boxes alone. */
  readonly mask?: MaskBranchOptions | undefined;
}

/** The truth of an image, in the pixels of the batch. */
export interface DetectionTarget extends ObjectBoxes {
  /** [object, height, width], 0 or 1, with the sides of the image in the batch, without padding; due where masks are trained. */
  readonly masks?: Tensor3D;
}

export interface DetectorLosses {
  readonly objectness: Scalar;
  readonly proposalBoxes: Scalar;
  readonly classes: Scalar;
  readonly boxes: Scalar;
  readonly masks?: Scalar;
}

/** Detections of an image and, of Mask R-CNN, their masks. */
export interface MaskedDetections extends Detections {
  /** [detection, side, side], probabilities inside the box. */
  readonly masks?: { readonly values: Float32Array; readonly side: number };
}

/** Where the images lie in a batch. */
type Frames = Pick<ImageBatch, 'sizes'> & { readonly batchSize: readonly [number, number] };

export interface Detector {
  /**
   * The losses of a batch, each a scalar; their sum is trained.
   * @param permutation draws which anchors and proposals are trained on
   */
  losses(
    maps: readonly Tensor4D[],
    frames: Frames,
    targets: readonly DetectionTarget[],
    context: ForwardContext,
    permutation: Permutation,
  ): DetectorLosses;
  /** What is found in each image, in the pixels of the batch. */
  detect(maps: readonly Tensor4D[], frames: Frames, context: ForwardContext): MaskedDetections[];
}

/**
 * Faster R-CNN (Ren et al. 2015) and Mask R-CNN (He et al. 2017) behind any encoder's maps, through a feature pyramid.
 * Reference: torchvision, FasterRCNN and MaskRCNN, with its names of parameters.
 */
export function buildDetector(scope: Scope, options: DetectorOptions): Detector {
  const { channels, classCount, pyramidChannels, anchors: shapes, cropSize, samples = 2, mask } = options;
  const pyramid = featurePyramid(scope.child('fpn'), {
    ...{ inChannels: channels, outChannels: pyramidChannels },
    extra: shapes.length > channels.length ? 'pool' : undefined,
  });
  const anchorCount = shapes[0]!.sizes.length * shapes[0]!.aspectRatios.length;
  const head = proposalHead(scope.child('rpn').child('head'), {
    ...{ channels: pyramidChannels, anchorCount, depth: options.proposalDepth },
  });
  const heads = scope.child('roi_heads');
  const scoreBoxes = boxHead(heads, {
    ...{ channels: pyramidChannels, cropSize, classCount },
    ...{ width: options.headWidth, convolutions: options.headConvolutions },
  });
  const drawMasks = mask && maskHead(heads, { channels: pyramidChannels, classCount, ...mask });

  /** Levels, what the proposal network says of them, and its anchors. */
  const look = (maps: readonly Tensor4D[], { batchSize }: Frames, context: ForwardContext) => {
    const levels = pyramid(maps, context);
    for (const [level, map] of levels.entries())
      context.observe?.(`fpn.${level < maps.length ? level : 'pool'}`, map, 'channels-last');
    const anchors = levels.map(({ shape }, level) =>
      gridAnchors(shapes[level]!, batchSize, [shape[1], shape[2]]),
    );
    return { levels, anchors, said: head(levels, context) };
  };

  /** Boxes are cut from the levels of the maps, the pooled one left out. */
  const cut = (
    levels: readonly Tensor4D[],
    boxes: Boxes,
    images: readonly number[],
    side: number,
    { sizes }: Frames,
  ): Tensor4D =>
    pyramidRoiAlign(levels.slice(0, channels.length), boxes, images, {
      ...{ size: [side, side], samples },
      imageSize: [Math.max(...sizes.map(([height]) => height)), Math.max(...sizes.map(([, width]) => width))],
    });

  const { training, evaluation, ...proposals } = options.proposals;
  return {
    losses(maps, frames, targets, context, permutation) {
      const { levels, anchors, said } = look(maps, frames, context);
      const objects = targets.map(({ boxes }) => boxes);
      const rpn = proposalLosses(said, anchors, objects, proposals, permutation);
      const proposed = proposeBoxes(said, anchors, frames.sizes, { ...proposals, ...training });
      const sample = sampleProposals(proposed, targets, options.boxes, permutation);
      const crops = cut(levels, sample.boxes, sample.imageIndices, cropSize, frames);
      const own = boxLosses(scoreBoxes(crops, context), sample);
      const losses = {
        ...{ objectness: rpn.objectness, proposalBoxes: rpn.boxes },
        ...{ classes: own.classes, boxes: own.boxes },
      };
      if (!drawMasks || !mask) return losses;
      const positive = [...sample.labels.keys()].filter((at) => sample.labels[at]! > 0);
      if (positive.length === 0) return { ...losses, masks: tf.scalar(0) };
      const boxes = takeBoxes(sample.boxes, positive);
      const images = positive.map((at) => sample.imageIndices[at]!);
      const logits = drawMasks(cut(levels, boxes, images, mask.cropSize, frames), context);
      const masks = maskLoss(
        logits,
        positive.map((at) => sample.labels[at]!),
        targets.map((target, image) => {
          const members = positive.filter((at) => sample.imageIndices[at] === image);
          return {
            masks: target.masks!,
            boxes: takeBoxes(sample.boxes, members),
            objects: members.map((at) => sample.objects[at]!),
          };
        }),
      );
      return { ...losses, masks };
    },

    detect(maps, frames, context) {
      let found: MaskedDetections[] = [];
      tf.tidy(() => {
        const { levels, anchors, said } = look(maps, frames, context);
        const proposed = proposeBoxes(said, anchors, frames.sizes, { ...proposals, ...evaluation });
        for (const [image, boxes] of proposed.entries())
          context.observe?.(`proposals.${image}`, tf.tensor2d(boxes, [boxCount(boxes), 4]));
        const images = proposed.flatMap((own, image) => Array.from({ length: boxCount(own) }, () => image));
        const joined = Float32Array.from(proposed.flatMap((own) => [...own]));
        const crops = cut(levels, joined, images, cropSize, frames);
        context.observe?.('roi_features', crops, 'channels-last');
        const scores = scoreBoxes(crops, context);
        context.observe?.('class_logits', scores.logits);
        context.observe?.('box_regression', scores.deltas);
        found = detectionsOf(scores, proposed, frames.sizes, options.detections);
        if (!drawMasks || !mask) return;
        found = found.map((own, image) => {
          const at = Array.from(own.labels, () => image);
          const side = 2 * mask.cropSize;
          if (at.length === 0) return { ...own, masks: { values: new Float32Array(0), side } };
          const logits = drawMasks(cut(levels, own.boxes, at, mask.cropSize, frames), context);
          const probabilities = sigmoid(masksOfClass(logits, own.labels));
          context.observe?.(`mask_probs.${image}`, tf.expandDims(probabilities, 1));
          return { ...own, masks: { values: Float32Array.from(probabilities.dataSync()), side } };
        });
      });
      return found;
    },
  };
}

/** Masks of an image follow it into the batch: [object, height, width], the nearest pixel. */
export const resizeMasks = (masks: Tensor3D, size: readonly [number, number]): Tensor3D =>
  tf.tidy(() => tf.squeeze(resize(tf.expandDims(masks, 3), size, { mode: 'nearest' }), [3]));
