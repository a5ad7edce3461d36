import { relu } from '../engine/ops/activations.js';
import { softmax } from '../engine/ops/activations-smooth.js';
import { crossEntropy } from '../engine/ops/cross-entropy.js';
import { keptBoxes } from '../engine/ops/non-max-suppression.js';
import { tf, type Scalar, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { valuesOf } from '../engine/values-of.js';
import { dense } from '../layers/dense.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { decodeBoxes, encodeBoxes, type CoderWeights } from './box-coder.js';
import { boxCount, boxOverlaps, clipBoxes, isLargeBox, joinBoxes, takeBoxes, type Boxes } from './boxes.js';
import { BETWEEN, matchBoxes, type MatchThresholds } from './matcher.js';
import { boxLoss } from './region-proposals.js';
import { roiConvolution } from './roi-convolution.js';
import { sampleBoxes, type Permutation, type SamplerOptions } from './sampler.js';

const CODER: CoderWeights = [10, 10, 5, 5];
/** Sides below this, in pixels, are no box. */
const MIN_SIDE = 1e-2;

export interface BoxHeadOptions {
  readonly channels: number;
  /** Side of the crops. */
  readonly cropSize: number;
  /** Of both hidden layers; with convolutions of the only one. */
  readonly width: number;
  /** Of 3 × 3 convolutions in front, each batch-normalised. Default none. */
  readonly convolutions?: readonly number[] | undefined;
  /** Background, class 0, included. */
  readonly classCount: number;
}

export interface BoxScores {
  /** [box, class] */
  readonly logits: Tensor2D;
  /** [box, class · 4] */
  readonly deltas: Tensor2D;
}

/**
 * Hidden layers, then the class and the differences of each class. Reference: torchvision, TwoMLPHead, and with
 * convolutions FastRCNNConvFCHead.
 */
export function boxHead(
  scope: Scope,
  { channels, cropSize, width, convolutions = [], classCount }: BoxHeadOptions,
): (crops: Tensor4D, context: ForwardContext) => BoxScores {
  const inner = scope.child('box_head');
  const layers = convolutions.map((outChannels, at) =>
    roiConvolution(inner.child(at), { inChannels: convolutions[at - 1] ?? channels, outChannels }),
  );
  // the flattening has a number among the reference's layers
  const names = layers.length > 0 ? [layers.length + 1] : ['fc6', 'fc7'];
  const flatWidth = (convolutions.at(-1) ?? channels) * cropSize ** 2;
  const hidden = names.map((name, at) => dense(inner.child(name), at === 0 ? flatWidth : width, width));
  const predictor = scope.child('box_predictor');
  const classify = dense(predictor.child('cls_score'), width, classCount);
  const move = dense(predictor.child('bbox_pred'), width, classCount * 4);
  return (crops, context) => {
    const maps = layers.reduce((x, layer) => layer(x, context), crops);
    // the order of the checkpoint: channel, row, column
    const flat: Tensor2D = tf.reshape(tf.transpose(maps, [0, 3, 1, 2]), [crops.shape[0], -1]);
    const features = hidden.reduce((x, layer) => relu(layer(x)), flat);
    return { logits: classify(features), deltas: move(features) };
  };
}

/** Boxes of a batch that the heads are trained on. */
export interface BoxSample {
  readonly boxes: Boxes;
  readonly imageIndices: readonly number[];
  /** 0: background. */
  readonly labels: readonly number[];
  /** Object of the image that each belongs to; of background of no meaning. */
  readonly objects: readonly number[];
  /** Box of that object: [box, 4]. */
  readonly targets: Boxes;
}

/** The truth of an image, in the pixels of the batch. */
export interface ObjectBoxes {
  readonly boxes: Boxes;
  /** 1 … classCount − 1 each. */
  readonly labels: readonly number[];
}

/** Proposals and the objects themselves, matched and drawn from. */
export function sampleProposals(
  proposals: readonly Boxes[],
  truth: readonly ObjectBoxes[],
  options: SamplerOptions & MatchThresholds,
  permutation: Permutation,
): BoxSample {
  const parts = truth.map(({ boxes, labels }, image) => {
    const all = joinBoxes([proposals[image]!, boxes]);
    const matches = matchBoxes(boxOverlaps(boxes, all), boxCount(boxes), boxCount(all), options);
    const labelOf = (match: number): number => (match >= 0 ? labels[match]! : match === BETWEEN ? -1 : 0);
    const { positive, negative } = sampleBoxes(Array.from(matches, labelOf), options, permutation);
    const chosen = [...positive, ...negative];
    const objects = chosen.map((at) => Math.max(0, matches[at]!));
    return {
      boxes: takeBoxes(all, chosen),
      images: chosen.map(() => image),
      labels: chosen.map((at) => labelOf(matches[at]!)),
      objects,
      targets: boxCount(boxes) > 0 ? takeBoxes(boxes, objects) : new Float32Array(chosen.length * 4),
    };
  });
  return {
    boxes: joinBoxes(parts.map((part) => part.boxes)),
    imageIndices: parts.flatMap((part) => part.images),
    labels: parts.flatMap((part) => part.labels),
    objects: parts.flatMap((part) => part.objects),
    targets: joinBoxes(parts.map((part) => part.targets)),
  };
}

export interface BoxLosses {
  readonly classes: Scalar;
  readonly boxes: Scalar;
}

/** Cross entropy of all boxes; the smoothed errors of those with an object, in its class, over the number of all. */
export function boxLosses({ logits, deltas }: BoxScores, sample: BoxSample): BoxLosses {
  const { labels, boxes, targets } = sample;
  const positive = [...labels.keys()].filter((at) => labels[at]! > 0);
  const truth = encodeBoxes(takeBoxes(boxes, positive), takeBoxes(targets, positive), CODER);
  const classCount = logits.shape[1];
  return {
    classes: crossEntropy(logits, tf.tensor1d([...labels], 'int32')),
    boxes: boxLoss(
      tf.reshape(deltas, [-1, 4]),
      positive.map((at) => at * classCount + labels[at]!),
      [...truth],
      labels.length,
    ),
  };
}

export interface DetectionOptions {
  /** Only boxes above this probability. */
  readonly minScore: number;
  /** Overlap from which the better of two boxes stays. */
  readonly suppression: number;
  /** Most detections of an image. */
  readonly count: number;
  /** Whether boxes of different classes suppress each other; default false. */
  readonly isClassAgnostic?: boolean;
}

/** Detections of an image, best first, in the pixels of the batch. */
export interface Detections {
  readonly boxes: Boxes;
  readonly scores: Float32Array;
  readonly labels: Int32Array;
}

/**
 * What is left of the proposals: every class of every box above the score, cut at the image, the better of two that
 * overlap.
 * @param sizes [height, width] of each image, without padding
 */
export function detectionsOf(
  { logits, deltas }: BoxScores,
  proposals: readonly Boxes[],
  sizes: readonly (readonly [number, number])[],
  { minScore, suppression, count, isClassAgnostic = false }: DetectionOptions,
): Detections[] {
  const classCount = logits.shape[1];
  const probabilities = valuesOf(() => softmax(logits)).data;
  const moves = deltas.dataSync<'float32'>();
  let first = 0;
  return proposals.map((own, image) => {
    const rows = boxCount(own);
    const [from, to] = [first * classCount, (first + rows) * classCount];
    first += rows;
    const scores = probabilities.subarray(from, to);
    const decoded = clipBoxes(decodeBoxes(moves.subarray(from * 4, to * 4), own, CODER), sizes[image]!);
    const candidates = Array.from(scores.keys()).filter(
      (at) => at % classCount > 0 && scores[at]! > minScore && isLargeBox(decoded, at, MIN_SIDE),
    );
    const labels = candidates.map((at) => at % classCount);
    const boxes = takeBoxes(decoded, candidates);
    const kept = keptBoxes(
      boxes,
      candidates.map((at) => scores[at]!),
      { iouThreshold: suppression, maxCount: count, ...(!isClassAgnostic && { classes: labels }) },
    );
    return {
      boxes: takeBoxes(boxes, kept),
      scores: Float32Array.from(kept, (at) => scores[candidates[at]!]!),
      labels: Int32Array.from(kept, (at) => labels[at]!),
    };
  });
}
