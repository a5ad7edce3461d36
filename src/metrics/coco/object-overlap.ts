import { maskArea, sharedArea, type RunLengthMask } from './run-length-mask.js';

/** Sides in pixels, from the upper left corner of the image. */
export type CocoBox = readonly [x: number, y: number, width: number, height: number];

/** Intersection over union of a detection and an object; over the detection alone where the object is a crowd. */
export function boxOverlap(detection: CocoBox, object: CocoBox, isCrowd = false): number {
  const side = (axis: 0 | 1): number =>
    Math.min(detection[axis] + detection[axis + 2]!, object[axis] + object[axis + 2]!) -
    Math.max(detection[axis], object[axis]);
  const [wide, high] = [side(0), side(1)];
  if (wide <= 0 || high <= 0) return 0;
  return share(wide * high, detection[2] * detection[3], object[2] * object[3], isCrowd);
}

/** As `boxOverlap`, of masks of one size. */
export function maskOverlap(detection: RunLengthMask, object: RunLengthMask, isCrowd = false): number {
  const shared = sharedArea(detection, object);
  return shared === 0 ? 0 : share(shared, maskArea(detection), maskArea(object), isCrowd);
}

const share = (shared: number, detection: number, object: number, isCrowd: boolean): number =>
  shared / (isCrowd ? detection : detection + object - shared);
