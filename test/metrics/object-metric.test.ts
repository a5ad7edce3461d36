import { describe, expect, it } from 'vitest';
import type { TrueObject } from '../../src/metrics/coco/coco-metric.js';
import { polygonMask } from '../../src/metrics/coco/polygon-mask.js';
import { objectMetric } from '../../src/metrics/object-metric.js';
import { summarizeObjects } from '../../src/metrics/trivial-detectors.js';
import { createRandom } from '../../src/random.js';

const [HEIGHT, WIDTH] = [40, 60];
const object = (label: number, left: number, top: number, width: number, height: number): TrueObject => ({
  label,
  box: [left, top, width, height],
  mask: polygonMask(
    [[left, top, left + width, top, left + width, top + height, left, top + height]],
    HEIGHT,
    WIDTH,
  ),
});

describe('scores of objects', () => {
  const truth = [object(1, 4, 4, 10, 20), object(2, 30, 6, 12, 8)];

  it('name the mean, each class that there is, and how many objects it has', () => {
    const metric = objectMetric({ task: 'detection', classCount: 4 });
    metric.add([...truth, { ...truth[0]!, isCrowd: true }], [{ ...truth[0]!, score: 0.9 }]);
    expect(metric.scores()['AP50']).toBeCloseTo(0.5, 12); // one class is found, the other is not
    expect(metric.perClass()['support']).toEqual([null, 1, 1, 0]);
    const { AP50 } = metric.perClass();
    expect([AP50![0], AP50![3]]).toEqual([null, null]);
    expect(AP50![1]).toBeCloseTo(1, 12);
    expect(AP50![2]).toBe(0);
  });

  it('of masks have those of the boxes beside them', () => {
    const metric = objectMetric({ task: 'instance_segmentation', classCount: 3 });
    const { mask: half } = object(1, 4, 4, 10, 11);
    metric.add(truth.slice(0, 1), [{ ...truth[0]!, mask: half!, score: 0.8 }]);
    const scores = metric.scores();
    expect(scores['box-mAP']).toBeCloseTo(1, 12);
    expect(scores['mAP']).toBeCloseTo(0.2, 12); // an overlap of 0.55 is enough for two thresholds of ten
  });

  it('as published leave images without objects out where masks are scored', () => {
    const scoreIn = (mode: 'corrected' | 'as-published'): number | null | undefined => {
      const metric = objectMetric({ task: 'instance_segmentation', classCount: 3, mode });
      metric.add([], [{ ...object(1, 1, 1, 9, 9), score: 0.95 }]);
      metric.add(truth.slice(0, 1), [{ ...truth[0]!, score: 0.9 }]);
      return metric.scores()['mAP'];
    };
    expect(scoreIn('corrected')).toBeCloseTo(0.5, 6);
    expect(scoreIn('as-published')).toBeCloseTo(1, 6);
  });
});

describe('trivial detectors', () => {
  const summary = summarizeObjects(true);
  summary.add([object(2, 0, 0, 10, 8), object(2, 5, 5, 20, 12), object(1, 3, 3, 9, 7)]);
  summary.add([{ ...object(1, 0, 0, 30, 30), isCrowd: true }]);
  const [grid, random] = summary.detectors();

  it('lay boxes of the mean size side by side', () => {
    const found = grid!.detect([HEIGHT, WIDTH], createRandom(0));
    expect(found[0]).toMatchObject({ label: 2, box: [0, 0, 13, 9] });
    expect(found).toHaveLength(4 * 4); // ⌊40 / 9⌋ rows, ⌊60 / 13⌋ columns
    expect(found.every(({ mask }) => mask!.height === HEIGHT && mask!.width === WIDTH)).toBe(true);
  });

  it('draw boxes of the training objects, the same for one seed, inside the image', () => {
    const draw = (seed: number) => random!.detect([HEIGHT, WIDTH], createRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(2)).not.toEqual(draw(1));
    expect(draw(1)).toHaveLength(2); // three objects in two images
    for (const { box } of draw(3)) {
      expect(box[0] + box[2]).toBeLessThanOrEqual(WIDTH);
      expect(box[1] + box[3]).toBeLessThanOrEqual(HEIGHT);
    }
  });

  it('know nothing without an object', () => {
    expect(summarizeObjects(false).detectors()).toEqual([]);
  });
});
