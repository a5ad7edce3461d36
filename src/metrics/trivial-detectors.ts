import type { Random } from '../random.js';
import type { DetectedObject, TrueObject } from './coco/coco-metric.js';
import type { CocoBox } from './coco/object-overlap.js';
import { polygonMask } from './coco/polygon-mask.js';

/** Finds the same whatever an image shows: what any detector has to beat. */
export interface TrivialDetector {
  readonly id: 'grid' | 'random';
  /** What it finds, in words. */
  readonly title: string;
  /** @param random of this image */
  readonly detect: (
    size: readonly [height: number, width: number],
    random: Random,
  ) => readonly DetectedObject[];
}

/** What trivial detectors learn from the training truth, image by image. */
export interface ObjectSummary {
  add(objects: readonly TrueObject[]): void;
  /** None where there was no object. */
  detectors(): TrivialDetector[];
}

/** @param hasMasks whether what is found has a mask: its whole box */
export function summarizeObjects(hasMasks: boolean): ObjectSummary {
  const objects: TrueObject[] = [];
  let imageCount = 0;
  const detected = (
    { label, box, score }: DetectedObject,
    [height, width]: readonly [number, number],
  ): DetectedObject => ({
    ...{ label, box, score },
    ...(hasMasks && { mask: polygonMask([outlineOf(box)], height, width) }),
  });
  return {
    add(truth) {
      imageCount += 1;
      objects.push(...truth.filter(({ isCrowd }) => !isCrowd));
    },
    detectors() {
      if (objects.length === 0) return [];
      const [wide, high] = [2, 3].map(
        (side) => objects.reduce((sum, { box }) => sum + box[side]!, 0) / objects.length,
      ) as [number, number];
      const label = commonest(objects.map((object) => object.label));
      const perImage = Math.max(1, Math.round(objects.length / imageCount));
      return [
        {
          id: 'grid',
          title: 'boxes of the mean size side by side, of the most frequent class',
          detect: ([height, width]) =>
            starts(height, high).flatMap((top) =>
              starts(width, wide).map((left) =>
                detected({ label, score: 0.5, box: [left, top, wide, high] }, [height, width]),
              ),
            ),
        },
        {
          id: 'random',
          title: 'as many boxes of training objects as an image has on average, anywhere',
          detect: ([height, width], random) =>
            Array.from({ length: perImage }, () => {
              const { label: own, box } = objects[random.integer(objects.length)]!;
              const [boxWidth, boxHeight] = [Math.min(box[2], width), Math.min(box[3], height)];
              const left = random.uniform() * (width - boxWidth);
              const top = random.uniform() * (height - boxHeight);
              const drawn: CocoBox = [left, top, boxWidth, boxHeight];
              return detected({ label: own, score: random.uniform(), box: drawn }, [height, width]);
            }),
        },
      ];
    },
  };
}

/** Where boxes of a side begin that lie side by side; at least one. */
const starts = (length: number, side: number): number[] =>
  Array.from({ length: Math.max(1, Math.floor(length / side)) }, (_, at) => at * side);

const outlineOf = ([left, top, width, height]: CocoBox): number[] => [
  ...[left, top, left + width, top],
  ...[left + width, top + height, left, top + height],
];

/** Of equally frequent ones the least. */
function commonest(labels: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a - b)[0]![0];
}
