import { describe, expect, it } from 'vitest';
import { CocoMetric, type DetectedObject, type TrueObject } from '../../../src/metrics/coco/coco-metric.js';
import { runLengthMask } from '../../../src/metrics/coco/run-length-mask.js';

const object = (label: number, ...box: [number, number, number, number]): TrueObject => ({ label, box });
const detection = (
  label: number,
  score: number,
  ...box: [number, number, number, number]
): DetectedObject => ({ label, score, box });

/** A precision of 1 is one step of float64 below it, as in pycocotools. */
const rounded = (scores: Record<string, number | null>): Record<string, number | null> =>
  Object.fromEntries(
    Object.entries(scores).map(([name, score]) => [name, score && Number(score.toFixed(12))]),
  );

const scoresOf = (
  images: readonly (readonly [readonly TrueObject[], readonly DetectedObject[]])[],
  options = {},
) => {
  const metric = new CocoMetric(options);
  for (const [truth, detected] of images) metric.add(truth, detected);
  return rounded(metric.scores());
};

describe('the COCO metric', () => {
  it('has nothing to say without objects', () => {
    expect(scoresOf([[[], [detection(0, 0.9, 0, 0, 4, 6)]]])).toMatchObject({ mAP: null, 'AR-100': null });
    expect(new CocoMetric().scores()).toMatchObject({ mAP: null, AP50: null });
  });

  it('resolves equal scores by the order of detections', () => {
    const right = detection(0, 0.5, 10, 20, 30, 10);
    const wrong = detection(0, 0.5, 100, 20, 30, 10);
    const truth = [object(0, 10, 20, 30, 10)];
    expect(scoresOf([[truth, [right, wrong]]])['AP50']).toBe(1);
    expect(scoresOf([[truth, [wrong, right]]])['AP50']).toBe(0.5);
    expect(scoresOf([[truth, [wrong, right]]])).toMatchObject({ 'AR-1': 0, 'AR-10': 1 });
  });

  it('counts a detection in an image without objects as wrong, or leaves the image out', () => {
    const images = [
      [[], [detection(0, 0.9, 0, 0, 5, 5)]],
      [[object(0, 1, 2, 8, 4)], [detection(0, 0.6, 1, 2, 8, 4)]],
    ] as const;
    expect(scoresOf(images)['mAP']).toBe(0.5);
    expect(scoresOf(images, { countsEmptyImages: false })['mAP']).toBe(1);
  });

  it('takes what falls on a crowd neither as right nor as wrong', () => {
    const truth = [object(0, 0, 0, 10, 20), { ...object(0, 50, 0, 40, 40), isCrowd: true }];
    const onCrowd = [detection(0, 0.9, 55, 5, 8, 8), detection(0, 0.8, 70, 20, 8, 8)];
    expect(scoresOf([[truth, [...onCrowd, detection(0, 0.4, 0, 0, 10, 20)]]])['mAP']).toBe(1);
  });

  it('tells sizes apart, with the limits in both', () => {
    const small = object(0, 0, 0, 32, 32); // 32² is small and medium
    const large = object(0, 100, 100, 120, 90);
    const scores = scoresOf([[[small, large], [detection(0, 0.5, 0, 0, 32, 32)]]]);
    expect(scores).toMatchObject({ 'mAP-small': 1, 'mAP-medium': 1, 'mAP-large': 0 });
    expect(scores).toMatchObject({ 'AR-100': 0.5, 'AR-large': 0 });
  });

  it('needs more overlap at higher thresholds', () => {
    // 8 of 10 columns: overlap 0.8 passes 0.5 … 0.8, seven of ten thresholds
    const scores = scoresOf([[[object(0, 0, 0, 10, 6)], [detection(0, 0.5, 0, 0, 8, 6)]]]);
    expect(scores).toMatchObject({ mAP: 0.7, AP50: 1, AP75: 1 });
  });

  it('scores masks by their pixels', () => {
    const left = runLengthMask([1, 1, 0, 1, 1, 0], 2, 3);
    const all = runLengthMask([1, 1, 1, 1, 1, 1], 2, 3);
    const truth = [{ ...object(0, 0, 0, 3, 2), mask: all }];
    const detected = [{ ...detection(0, 0.7, 0, 0, 3, 2), mask: left }];
    expect(scoresOf([[truth, detected]], { of: 'mask' })).toMatchObject({ AP50: 1, AP75: 0 });
    expect(() => scoresOf([[truth, [detection(0, 1, 0, 0, 1, 1)]]], { of: 'mask' })).toThrow(/has no mask/);
    const other = { ...detected[0]!, mask: runLengthMask([1, 1], 1, 2) };
    expect(() => scoresOf([[truth, [other]]], { of: 'mask' })).toThrow(/1 × 2 pixels/);
  });

  it('refuses scores that are no number', () => {
    expect(() => scoresOf([[[], [detection(0, Number.NaN, 0, 0, 1, 1)]]])).toThrow(/no number/);
  });

  it('has a row for every class of truth and detections', () => {
    const metric = new CocoMetric();
    metric.add([object(3, 0, 0, 4, 7)], [detection(3, 0.5, 0, 0, 4, 7), detection(8, 0.5, 0, 0, 4, 7)]);
    expect(metric.labels).toEqual([3, 8]);
    expect(metric.perClass().map((own) => rounded(own)['mAP'])).toEqual([1, null]);
    expect(metric.curves(8)).toBeUndefined();
  });

  it('refuses boxes that are no numbers, which would overlap everything', () => {
    const good = [0, 0, 4, 6] as const;
    const add = (truth: readonly number[], found: readonly number[]) => () =>
      new CocoMetric().add(
        [{ label: 0, box: truth as never }],
        [
          { label: 0, score: 0.5, box: good },
          { label: 0, score: 0.5, box: found as never },
        ],
      );
    expect(add(good, good)).not.toThrow();
    const refused = (message: string) =>
      expect.objectContaining({
        code: 'BOX_INVALID',
        message: expect.stringContaining(message) as string,
      }) as Error;
    expect(add([0, 0, NaN, 6], good)).toThrow(refused('object 0'));
    expect(add(good, [0, Infinity, 4, 6])).toThrow(refused('detection 1'));
    expect(add(good, [0, 0, 4])).toThrow(refused('detection 1'));
  });
});
