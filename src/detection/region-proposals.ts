import { sigmoidCrossEntropy } from '../engine/ops/cross-entropy.js';
import { gather } from '../engine/ops/gather.js';
import { keptBoxes } from '../engine/ops/non-max-suppression.js';
import { relu } from '../engine/ops/activations.js';
import { tf, type Scalar, type Tensor, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { convolution } from '../layers/convolution.js';
import type { ForwardContext } from '../layers/layer.js';
import { normal, zeros, type Scope } from '../layers/parameters.js';
import { smoothAbsoluteError } from '../losses/errors.js';
import { decodeBoxes, encodeBoxes, type CoderWeights } from './box-coder.js';
import { boxCount, boxOverlaps, clipBoxes, joinBoxes, largeBoxes, takeBoxes, type Boxes } from './boxes.js';
import { BETWEEN, matchBoxes, type MatchThresholds } from './matcher.js';
import { sampleBoxes, type Permutation, type SamplerOptions } from './sampler.js';

export interface ProposalOptions extends SamplerOptions, MatchThresholds {
  /** Best anchors of each level that are looked at. */
  readonly candidates: number;
  /** Most proposals of an image. */
  readonly count: number;
  /** Overlap from which the better of two proposals of a level stays. */
  readonly suppression: number;
  /** Least probability. */
  readonly minScore: number;
}

/** What the region proposal network says of a batch: one tensor a level. */
export interface ProposalMaps {
  /** [batch, height, width, anchor] */
  readonly objectness: readonly Tensor4D[];
  /** [batch, height, width, anchor · 4] */
  readonly deltas: readonly Tensor4D[];
}

const CODER: CoderWeights = [1, 1, 1, 1];
/** Sides below this, in pixels, are no box. */
const MIN_SIDE = 1e-3;
/** Where the error of a box turns straight. */
export const BOX_BEND = 1 / 9;

export interface ProposalHeadOptions {
  readonly channels: number;
  /** Of each place. */
  readonly anchorCount: number;
  /** 3 × 3 convolutions one after another. Default 1. */
  readonly depth?: number | undefined;
}

/** Region proposal network (Ren et al. 2015): convolutions shared by all levels, then objectness and differences. */
export function proposalHead(
  scope: Scope,
  { channels, anchorCount, depth = 1 }: ProposalHeadOptions,
): (levels: readonly Tensor4D[], context: ForwardContext) => ProposalMaps {
  const convolve = (at: Scope, outChannels: number, kernelSize: number) =>
    convolution(at, {
      ...{ inChannels: channels, outChannels, kernelSize, bias: true },
      ...{ initializer: normal(0.01), biasInitializer: zeros },
    });
  const shared = Array.from({ length: depth }, (_, at) =>
    convolve(scope.child('conv').child(at).child(0), channels, 3),
  );
  const score = convolve(scope.child('cls_logits'), anchorCount, 1);
  const move = convolve(scope.child('bbox_pred'), anchorCount * 4, 1);
  return (levels, context) => {
    const inner = levels.map((level) => shared.reduce((x, layer) => relu(layer(x, context)), level));
    const maps = {
      objectness: inner.map((level) => score(level, context)),
      deltas: inner.map((level) => move(level, context)),
    };
    for (const level of levels.keys()) {
      context.observe?.(`rpn.objectness.${level}`, maps.objectness[level]!, 'channels-last');
      context.observe?.(`rpn.deltas.${level}`, maps.deltas[level]!, 'channels-last');
    }
    return maps;
  };
}

/**
 * The boxes of each image that are likely objects, best first. Carries no gradient.
 * @param anchors of each level
 * @param sizes [height, width] of each image, without padding
 */
export function proposeBoxes(
  { objectness, deltas }: ProposalMaps,
  anchors: readonly Boxes[],
  sizes: readonly (readonly [number, number])[],
  {
    candidates,
    count,
    suppression,
    minScore,
  }: Omit<ProposalOptions, keyof SamplerOptions | keyof MatchThresholds>,
): Boxes[] {
  const logits = objectness.map((level) => level.dataSync<'float32'>());
  const moves = deltas.map((level) => level.dataSync<'float32'>());
  return sizes.map((size, image) => {
    const parts = anchors.map((level, at) => {
      const own = boxCount(level);
      const scores = logits[at]!.subarray(image * own, (image + 1) * own);
      const best = highest(scores, candidates);
      const differences = takeBoxes(moves[at]!.subarray(image * own * 4, (image + 1) * own * 4), best);
      return {
        boxes: clipBoxes(decodeBoxes(differences, takeBoxes(level, best), CODER), size),
        scores: best.map((index) => Math.fround(1 / (1 + Math.exp(-scores[index]!)))),
        levels: best.map(() => at),
      };
    });
    const boxes = joinBoxes(parts.map((part) => part.boxes));
    const scores = parts.flatMap((part) => part.scores);
    const levels = parts.flatMap((part) => part.levels);
    const large = largeBoxes(boxes, MIN_SIDE).filter((at) => scores[at]! >= minScore);
    const left = takeBoxes(boxes, large);
    const kept = keptBoxes(
      left,
      large.map((at) => scores[at]!),
      { iouThreshold: suppression, maxCount: count, classes: large.map((at) => levels[at]!) },
    );
    return takeBoxes(left, kept);
  });
}

/** Indices of the highest scores, falling; of equal ones the earlier first. */
function highest(scores: Float32Array, count: number): number[] {
  // numbers sort ten times as fast as what a function compares: only what is as high as the last one wanted is compared
  const least = count < scores.length ? scores.slice().sort()[scores.length - count]! : -Infinity;
  const likely = Array.from(scores.keys()).filter((at) => scores[at]! >= least);
  return likely.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, count);
}

export interface ProposalLosses {
  readonly objectness: Scalar;
  readonly boxes: Scalar;
}

/**
 * Cross entropy of the sampled anchors, and the smoothed errors of the positive ones over the number of all sampled.
 * @param objects of each image, in the pixels of the batch
 */
export function proposalLosses(
  { objectness, deltas }: ProposalMaps,
  anchors: readonly Boxes[],
  objects: readonly Boxes[],
  options: SamplerOptions & MatchThresholds,
  permutation: Permutation,
): ProposalLosses {
  const all = joinBoxes(anchors);
  const perImage = boxCount(all);
  const targets: number[] = [];
  const places: number[] = [];
  const positives: number[] = [];
  const truth: number[] = [];
  for (const [image, own] of objects.entries()) {
    const matches = matchBoxes(boxOverlaps(own, all), boxCount(own), perImage, options);
    const labels = matches.map((match) => (match >= 0 ? 1 : match === BETWEEN ? -1 : 0));
    const { positive, negative } = sampleBoxes(labels, options, permutation);
    const first = image * perImage;
    for (const anchor of positive) positives.push(first + anchor);
    for (const anchor of [...positive, ...negative]) places.push(first + anchor);
    for (const label of [...positive.map(() => 1), ...negative.map(() => 0)]) targets.push(label);
    const matched = takeBoxes(
      own,
      positive.map((anchor) => matches[anchor]!),
    );
    truth.push(...encodeBoxes(takeBoxes(all, positive), matched, CODER));
  }
  const scores = flattened(objectness, 1).reshape([-1]);
  const chosen = gather(scores, tf.tensor1d(places, 'int32'));
  return {
    objectness: tf.mean(sigmoidCrossEntropy(chosen, tf.tensor1d(targets))) as Scalar,
    boxes: boxLoss(flattened(deltas, 4), positives, truth, places.length),
  };
}

/** Levels put together, image by image: [batch · anchors, width]. */
function flattened(levels: readonly Tensor4D[], width: number): Tensor2D {
  const rows = levels.map((level) => tf.reshape(level, [level.shape[0], -1, width]));
  return tf.reshape(tf.concat(rows, 1), [-1, width]);
}

/** Σ of the smoothed errors of some rows, over a number of boxes; 0 without rows. */
export function boxLoss(
  deltas: Tensor,
  rows: readonly number[],
  truth: readonly number[],
  boxes: number,
): Scalar {
  if (rows.length === 0) return tf.mul(tf.sum(deltas), 0) as Scalar;
  const chosen = gather(deltas, tf.tensor1d([...rows], 'int32'));
  const error = tf.sub(chosen, tf.tensor2d([...truth], [rows.length, 4]));
  return tf.div(tf.sum(smoothAbsoluteError(error, BOX_BEND)), boxes) as Scalar;
}
