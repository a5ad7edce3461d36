import { InputError } from '../../errors.js';
import { matchImage, type AreaRange, type ImageMatches, type ImageOfClass } from './match-image.js';
import { boxOverlap, maskOverlap, type CocoBox } from './object-overlap.js';
import { precisionRecall, type PrecisionRecall } from './precision-recall.js';
import { maskArea, type RunLengthMask } from './run-length-mask.js';

/** An object of the truth. */
export interface TrueObject {
  readonly label: number;
  readonly box: CocoBox;
  readonly mask?: RunLengthMask;
  /** In pixels; default that of the mask, or of the box where boxes are scored. */
  readonly area?: number;
  /** A group in one outline: what falls on it is neither right nor wrong. Default false. */
  readonly isCrowd?: boolean;
}

export interface DetectedObject {
  readonly label: number;
  readonly score: number;
  readonly box: CocoBox;
  readonly mask?: RunLengthMask;
}

export interface CocoMetricOptions {
  /** What overlaps: boxes (default) or masks. */
  readonly of?: 'box' | 'mask';
  /** Default 0.5, 0.55 … 0.95. */
  readonly overlapThresholds?: readonly number[];
  /** Default 0, 0.01 … 1. */
  readonly recallPoints?: readonly number[];
  /** Most detections of a class in an image that are looked at, rising; default 1, 10, 100. */
  readonly maxDetections?: readonly number[];
  /**
   * Whether detections in images without an object are false alarms. Default true.
   * Differs: torchmetrics, of masks, leaves such images out; false does so.
   */
  readonly countsEmptyImages?: boolean;
  /** All classes as one. Default false. */
  readonly isClassAgnostic?: boolean;
}

export type AreaName = 'all' | 'small' | 'medium' | 'large';

/** Sides of 32 and 96 pixels part the sizes. */
export const COCO_AREAS: Readonly<Record<AreaName, AreaRange>> = {
  all: [0, 1e10],
  small: [0, 32 ** 2],
  medium: [32 ** 2, 96 ** 2],
  large: [96 ** 2, 1e10],
};

const steps = (from: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at * step);

/** As NumPy's linspace gives them, to the last bit. */
export const COCO_OVERLAPS: readonly number[] = [...steps(0.5, (0.95 - 0.5) / 9, 9), 0.95];
export const COCO_RECALLS: readonly number[] = steps(0, 0.01, 101);

/** An image, with and without objects or detections. */
export interface DetectedImage {
  readonly truth: readonly TrueObject[];
  readonly detected: readonly DetectedObject[];
}

/**
 * Average precision and recall of boxes or masks, equal to pycocotools' COCOeval. As there, an object's own `ignore` does
 * not count; a crowd does.
 */
export class CocoMetric {
  readonly #images: DetectedImage[] = [];
  /** Images that only tell which classes there are. */
  readonly #leftOut: DetectedImage[] = [];
  readonly #of: 'box' | 'mask';
  readonly #thresholds: readonly number[];
  readonly #recallPoints: readonly number[];
  readonly #limits: readonly number[];
  readonly #countsEmptyImages: boolean;
  readonly #isClassAgnostic: boolean;

  constructor(options: CocoMetricOptions = {}) {
    this.#of = options.of ?? 'box';
    this.#thresholds = options.overlapThresholds ?? COCO_OVERLAPS;
    this.#recallPoints = options.recallPoints ?? COCO_RECALLS;
    this.#limits = options.maxDetections ?? [1, 10, 100];
    this.#countsEmptyImages = options.countsEmptyImages ?? true;
    this.#isClassAgnostic = options.isClassAgnostic ?? false;
  }

  /**
   * Adds an image, also one without objects or detections; the order of equal scores counts.
   * @throws InputError MASK_SIZE masks of an image differ in size; MASK_MISSING masks are scored and an object has none;
   *   SCORE_INVALID a score is no number; BOX_INVALID a side of a box is none
   */
  add(truth: readonly TrueObject[], detected: readonly DetectedObject[]): void {
    const image = `image ${this.#images.length + this.#leftOut.length}`;
    for (const [at, { score }] of detected.entries()) {
      if (!Number.isNaN(score)) continue;
      throw new InputError('SCORE_INVALID', `The score of detection ${at} is no number.`, {
        where: image,
        hint: 'Look for the step of training that made the weights NaN.',
      });
    }
    checkBoxes('object', truth, image);
    checkBoxes('detection', detected, image);
    if (this.#of === 'mask') checkMasks([...truth, ...detected], image);
    const isLeftOut = truth.length === 0 && !this.#countsEmptyImages;
    (isLeftOut ? this.#leftOut : this.#images).push({ truth, detected });
  }

  /** Classes of truth and detections, rising. */
  get labels(): number[] {
    const all = [...this.#images, ...this.#leftOut].flatMap(({ truth, detected }) => [...truth, ...detected]);
    return [...new Set(all.map((object) => this.#labelOf(object)))].sort((a, b) => a - b);
  }

  /** The curve of a class at each overlap threshold; undefined without an object of that area. */
  curves(label: number, area: AreaName = 'all', maxDetections = this.#limits.at(-1)!) {
    return precisionRecall(this.#matches(label, area), maxDetections, this.#recallPoints);
  }

  /**
   * `mAP`, `AP50`, `AP75`, `mAP-small` … `mAP-large`, `AR-1`, `AR-10`, `AR-100` (by the limits), `AR-small` … `AR-large`; null
   * where there is no object, or no such threshold.
   */
  scores(): Record<string, number | null> {
    return this.#scoresOf(this.labels);
  }

  /** The same of each class, in the order of `labels`. */
  perClass(): Record<string, number | null>[] {
    return this.labels.map((label) => this.#scoresOf([label]));
  }

  #scoresOf(labels: readonly number[]): Record<string, number | null> {
    const most = this.#limits.at(-1)!;
    const byArea = (area: AreaName, limits: readonly number[] = [most]) => {
      const matches = labels.map((label) => this.#matches(label, area));
      return limits.map((limit) =>
        matches.flatMap((images) => {
          const curves = precisionRecall(images, limit, this.#recallPoints);
          return curves ? [curves] : [];
        }),
      );
    };
    const all = byArea('all', this.#limits);
    const sizes = (['small', 'medium', 'large'] as const).map((area) => [area, byArea(area)[0]!] as const);
    return {
      mAP: meanPrecision(all.at(-1)!),
      AP50: meanPrecision(all.at(-1)!, this.#indexOf(0.5)),
      AP75: meanPrecision(all.at(-1)!, this.#indexOf(0.75)),
      ...Object.fromEntries(sizes.map(([area, curves]) => [`mAP-${area}`, meanPrecision(curves)])),
      ...Object.fromEntries(this.#limits.map((limit, at) => [`AR-${limit}`, meanRecall(all[at]!)])),
      ...Object.fromEntries(sizes.map(([area, curves]) => [`AR-${area}`, meanRecall(curves)])),
    };
  }

  /** float32 thresholds count as their decimal. */
  #indexOf(threshold: number): number {
    return this.#thresholds.findIndex((own) => Math.abs(own - threshold) < 1e-6);
  }

  #labelOf({ label }: { readonly label: number }): number {
    return this.#isClassAgnostic ? 0 : label;
  }

  #matches(label: number, area: AreaName): ImageMatches[] {
    return this.#images.flatMap((image) => {
      const part = this.#imageOfClass(image, label);
      return part ? [matchImage(part, COCO_AREAS[area], this.#thresholds)] : [];
    });
  }

  readonly #parts = new Map<DetectedImage, Map<number, ImageOfClass | undefined>>();

  #imageOfClass(image: DetectedImage, label: number): ImageOfClass | undefined {
    const known = this.#parts.get(image) ?? new Map<number, ImageOfClass | undefined>();
    this.#parts.set(image, known);
    if (!known.has(label)) known.set(label, this.#selected(image, label));
    return known.get(label);
  }

  #selected({ truth, detected }: DetectedImage, label: number): ImageOfClass | undefined {
    const objects = truth.filter((object) => this.#labelOf(object) === label);
    const ordered = detected
      .filter((object) => this.#labelOf(object) === label)
      .sort((a, b) => b.score - a.score) // stable: of equal scores the earlier stays first
      .slice(0, this.#limits.at(-1));
    if (objects.length === 0 && ordered.length === 0) return undefined;
    const isMask = this.#of === 'mask';
    const areaOf = ({ box, mask }: TrueObject | DetectedObject): number =>
      isMask ? maskArea(mask!) : box[2] * box[3];
    return {
      scores: ordered.map(({ score }) => score),
      overlaps: ordered.map(({ box, mask }) =>
        objects.map((object) =>
          isMask
            ? maskOverlap(mask!, object.mask!, object.isCrowd)
            : boxOverlap(box, object.box, object.isCrowd),
        ),
      ),
      detectionAreas: ordered.map(areaOf),
      objectAreas: objects.map((object) => object.area ?? areaOf(object)),
      isCrowd: objects.map(({ isCrowd }) => isCrowd ?? false),
    };
  }
}

/** What is no number would overlap everything. */
function checkBoxes(
  what: 'object' | 'detection',
  objects: readonly (TrueObject | DetectedObject)[],
  image: string,
): void {
  const at = objects.findIndex(({ box }) => ![0, 1, 2, 3].every((side) => Number.isFinite(box[side])));
  if (at < 0) return;
  throw new InputError('BOX_INVALID', `The box of ${what} ${at} is [${objects[at]!.box.join(', ')}].`, {
    where: image,
    hint: 'A box is four numbers: left, top, width and height in pixels.',
  });
}

function checkMasks(objects: readonly (TrueObject | DetectedObject)[], image: string): void {
  const [first] = objects;
  for (const { mask } of objects) {
    if (!mask)
      throw new InputError('MASK_MISSING', 'An object has no mask, and masks are to be scored.', {
        where: image,
        hint: "Give every object its mask, or score boxes: of: 'box'.",
      });
    const expected = first!.mask!;
    if (mask.height !== expected.height || mask.width !== expected.width)
      throw new InputError(
        'MASK_SIZE',
        `A mask has ${mask.height} × ${mask.width} pixels, another ${expected.height} × ${expected.width}.`,
        { where: image, hint: 'All masks of an image have its size.' },
      );
  }
}

/** Of all thresholds, or of one (−1: there is none), over all recall points and classes. */
function meanPrecision(classes: readonly (readonly PrecisionRecall[])[], threshold?: number): number | null {
  return mean(
    classes.flatMap((curves) => {
      const used = threshold === undefined ? curves : curves.slice(threshold, threshold + 1);
      return threshold === -1 ? [] : used.flatMap(({ precision }) => precision);
    }),
  );
}

const meanRecall = (classes: readonly (readonly PrecisionRecall[])[]): number | null =>
  mean(classes.flatMap((curves) => curves.map(({ recall }) => recall)));

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
