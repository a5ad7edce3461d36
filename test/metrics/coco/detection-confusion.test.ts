import { describe, expect, it } from 'vitest';
import type { DetectedImage, DetectedObject, TrueObject } from '../../../src/metrics/coco/coco-metric.js';
import { detectionConfusion } from '../../../src/metrics/coco/detection-confusion.js';
import { detectionCurves } from '../../../src/metrics/coco/detection-curves.js';
import { runLengthMask } from '../../../src/metrics/coco/run-length-mask.js';

const object = (label: number, ...box: [number, number, number, number]): TrueObject => ({ label, box });
const found = (label: number, score: number, ...box: [number, number, number, number]): DetectedObject => ({
  ...{ label, score, box },
});

describe('the confusion of detections', () => {
  const image: DetectedImage = {
    truth: [
      object(1, 0, 0, 10, 10),
      object(1, 50, 0, 10, 10),
      object(2, 100, 0, 10, 20),
      { ...object(2, 200, 0, 40, 40), isCrowd: true },
    ],
    detected: [
      found(1, 0.9, 0, 0, 10, 9),
      found(1, 0.8, 1, 0, 10, 10), // the object is taken: a detection of nothing
      found(1, 0.7, 100, 1, 10, 20), // a 2 taken for a 1
      found(2, 0.6, 210, 5, 10, 10), // on the crowd
      found(2, 0.55, 300, 300, 10, 10),
      found(2, 0.4, 50, 0, 10, 10), // below the score: the second object is missed
    ],
  };

  it('counts right, wrong, missed and of nothing, a crowd as neither', () => {
    expect(detectionConfusion([image])).toMatchObject({
      labels: [1, 2],
      counts: [...[1, 0, 1], ...[1, 0, 0], ...[1, 1, 0]],
    });
  });

  it('has the last column and row for images without detections or objects', () => {
    const empty = { truth: image.truth, detected: [] };
    const wrong = { truth: [], detected: [found(3, 0.9, 0, 0, 4, 4)] };
    expect(detectionConfusion([empty, wrong], { labels: [3, 1, 2] }).counts).toEqual([
      ...[0, 0, 0, 0],
      ...[0, 0, 0, 2],
      ...[0, 0, 0, 1],
      ...[1, 0, 0, 0],
    ]);
  });

  it('takes the object of the own class where two overlap alike, and obeys the overlap asked for', () => {
    const twice = {
      truth: [object(1, 0, 0, 10, 10), object(2, 0, 0, 10, 10)],
      detected: [found(2, 0.9, 0, 0, 10, 6)],
    };
    expect(detectionConfusion([twice]).counts).toEqual([0, 0, 1, 0, 1, 0, 0, 0, 0]);
    expect(detectionConfusion([twice], { overlap: 0.7 }).counts).toEqual([0, 0, 1, 0, 0, 1, 0, 1, 0]);
  });

  it('compares masks where they are asked for', () => {
    const [left, right] = [
      [1, 1, 0, 0],
      [0, 0, 1, 1],
    ].map((row) => runLengthMask(Uint8Array.from([...row!, ...row!]), 2, 4));
    const image = {
      truth: [{ ...object(1, 0, 0, 4, 2), mask: left! }],
      detected: [{ ...found(1, 0.9, 0, 0, 4, 2), mask: right! }],
    };
    expect(detectionConfusion([image]).counts).toEqual([1, 0, 0, 0]);
    expect(detectionConfusion([image], { of: 'mask' }).counts).toEqual([0, 1, 1, 0]);
  });
});

describe('the curves of detections', () => {
  const image = {
    truth: [object(1, 0, 0, 10, 10), object(1, 50, 0, 10, 10), object(4, 0, 50, 10, 10)],
    detected: [
      found(1, 0.9, 0, 0, 10, 10),
      found(1, 0.8, 80, 80, 10, 10),
      found(1, 0.6, 50, 0, 10, 6),
      found(9, 0.6, 50, 0, 10, 6),
    ],
  };

  it('end at the recall that is reached, and a class without objects has none', () => {
    const { curves, objects, detections } = detectionCurves([image], { overlaps: [0.5, 0.75] });
    expect([objects, detections]).toEqual([3, 4]);
    expect(curves.map(({ label, overlap }) => [label, overlap])).toEqual([
      [1, 0.5],
      [1, 0.75],
      [4, 0.5],
      [4, 0.75],
    ]);
    const ends = curves.map(({ points }) => points.at(-1));
    expect(ends[0]).toMatchObject({ recall: 1, score: 0.6 });
    expect(ends[0]!.precision).toBeCloseTo(2 / 3, 12);
    expect(ends[1]).toMatchObject({ recall: 0.5, score: 0.9 });
    // precision 1 at the 51 recalls up to a half, 2 / 3 at the other 50
    expect(curves[0]!.averagePrecision).toBeCloseTo((51 + 50 * (2 / 3)) / 101, 12);
    expect(curves[1]!.averagePrecision).toBeCloseTo(51 / 101, 12);
    expect(curves[2]!.averagePrecision).toBe(0);
  });
});
