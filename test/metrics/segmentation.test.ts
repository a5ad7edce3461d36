import { describe, expect, it } from 'vitest';
import { ConfusionMatrix } from '../../src/metrics/confusion-matrix.js';
import { segmentationScores } from '../../src/metrics/segmentation-scores.js';

/** Truth in rows; class 4 is predicted once and never true. */
const counts = [
  [12, 1, 1, 1, 0],
  [4, 13, 1, 1, 1],
  [1, 1, 10, 1, 0],
  [1, 5, 0, 9, 0],
  [0, 0, 0, 0, 0],
];

function fill(rows: readonly number[][], ignoreIndex: number | null = null): ConfusionMatrix {
  const matrix = new ConfusionMatrix(rows.length, ignoreIndex);
  for (const [truth, row] of rows.entries()) {
    for (const [prediction, count] of row.entries()) {
      matrix.add(new Uint8Array(count).fill(truth), new Uint8Array(count).fill(prediction));
    }
  }
  return matrix;
}

describe('segmentation scores', () => {
  it('equal those of a table worked out by hand', () => {
    const scores = segmentationScores(fill(counts));
    const IoU = [12 / 21, 13 / 27, 10 / 15, 9 / 18, 0];
    expect(scores.classes.map((row) => row.IoU)).toEqual(IoU);
    expect(scores.mIoU).toBeCloseTo(IoU.reduce((a, b) => a + b) / 5, 14);
    expect(scores.classes[1]!.F1).toBeCloseTo(26 / 40, 14);
    expect(scores.accuracy).toBeCloseTo(44 / 63, 14);
    expect(scores.classes.map(({ support }) => support)).toEqual([15, 20, 13, 15, 0]);
  });

  it('leave a class out of the mean that is nowhere', () => {
    const scores = segmentationScores(
      fill([
        [2, 1, 0],
        [0, 3, 0],
        [0, 0, 0],
      ]),
    );
    expect(scores.classes[2]).toEqual({ IoU: null, F1: null, precision: null, recall: null, support: 0 });
    expect(scores.mIoU).toBeCloseTo((2 / 3 + 3 / 4) / 2, 14);
  });

  it('are null without pixels, never 0', () => {
    const empty = new ConfusionMatrix(2, 255);
    empty.add([255, 255], [0, 1]);
    expect(segmentationScores(empty)).toMatchObject({ mIoU: null, mF1: null, accuracy: null });
  });
});

describe('confusion matrices', () => {
  it('add up over batches as over all pixels at once', () => {
    const truth = [0, 1, 1, 255, 0, 1];
    const prediction = [0, 1, 0, 0, 1, 1];
    const once = new ConfusionMatrix(2, 255);
    once.add(truth, prediction);
    const parts = new ConfusionMatrix(2, 255);
    for (const [from, to] of [
      [0, 2],
      [2, 6],
    ]) {
      const part = new ConfusionMatrix(2, 255);
      part.add(truth.slice(from, to), prediction.slice(from, to));
      parts.merge(part);
    }
    expect(parts.counts).toEqual(once.counts);
    expect(once.total).toBe(5);
  });

  it.each([
    ['a truth', [2], [0]],
    ['a prediction', [0], [2]],
    ['a negative truth', [-1], [0]],
    ['a fraction', [0.5], [0]],
  ])('refuse %s that is no class', (_, truth, prediction) => {
    expect(() => new ConfusionMatrix(2).add(truth, prediction)).toThrowError(
      expect.objectContaining({ code: 'LABEL_OUT_OF_RANGE' }),
    );
  });

  it('refuse other numbers of truths and predictions', () => {
    expect(() => new ConfusionMatrix(2).add([0, 1], [0])).toThrowError(
      expect.objectContaining({ code: 'SHAPE_MISMATCH' }),
    );
  });
});
