import { keptBoxes } from '../engine/ops/non-max-suppression.js';
import type { Detections } from './box-head.js';
import { takeBoxes } from './boxes.js';
import type { DetectorOptions } from './faster-rcnn.js';

/** Roots of the anchors' areas, one a level, finest first. */
export const ANCHOR_SIZES = [32, 64, 128, 256] as const;

/**
 * GEO-Bench-2's Faster R-CNN behind four maps of an encoder or neck: torchvision's settings, no pooled level.
 * @param classCount background, class 0, included
 */
export const geoBench2Detector = ({
  channels,
  classCount,
}: Pick<DetectorOptions, 'channels' | 'classCount'>): DetectorOptions => ({
  ...{ channels, classCount, pyramidChannels: 256, cropSize: 7, headWidth: 1024 },
  anchors: ANCHOR_SIZES.map((size) => ({ sizes: [size], aspectRatios: [0.5, 1, 2] })),
  proposals: {
    ...{ foreground: 0.7, background: 0.3, keepsBest: true, batchSize: 256, positiveFraction: 0.5 },
    ...{ suppression: 0.7, minScore: 0 },
    training: { candidates: 2000, count: 2000 },
    evaluation: { candidates: 1000, count: 1000 },
  },
  boxes: {
    ...{ foreground: 0.5, background: 0.5, keepsBest: false, batchSize: 512, positiveFraction: 0.25 },
  },
  detections: { minScore: 0.05, suppression: 0.5, count: 100 },
});

/** Widths of the convolutions of both heads. */
const HEAD = [256, 256, 256, 256] as const;

/**
 * GEO-Bench-2's Mask R-CNN: torchvision's second form (batch-normalised convolutions in both heads, two in the proposal
 * network). Masks are drawn from the crops that boxes are scored by, 7 × 7, and have 14 × 14 pixels.
 * @param options.classCount background, class 0, included
 */
export const geoBench2MaskDetector = (
  options: Pick<DetectorOptions, 'channels' | 'classCount'>,
): DetectorOptions => {
  const boxes = geoBench2Detector(options);
  return {
    ...boxes,
    ...{ proposalDepth: 2, headConvolutions: HEAD },
    mask: { cropSize: boxes.cropSize, widths: HEAD, isNormalized: true, predictorWidth: 256 },
  };
};

/**
 * Places, best first, of what GEO-Bench-2's published scores are of: only boxes above 0.5, and of any two that overlap by
 * half the better one, whatever their classes. Lowers the mAP; for as-published scores alone.
 */
export function geoBench2Kept({ boxes, scores }: Pick<Detections, 'boxes' | 'scores'>): number[] {
  const likely = [...scores.keys()].filter((at) => scores[at]! > 0.5);
  return keptBoxes(
    takeBoxes(boxes, likely),
    likely.map((at) => scores[at]!),
    { iouThreshold: 0.5 },
  ).map((at) => likely[at]!);
}
