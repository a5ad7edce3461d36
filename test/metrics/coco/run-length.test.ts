import { describe, expect, it } from 'vitest';
import { polygonMask } from '../../../src/metrics/coco/polygon-mask.js';
import {
  maskArea,
  maskBox,
  maskPixels,
  runLengthMask,
  sharedArea,
} from '../../../src/metrics/coco/run-length-mask.js';
import { parseRunLengthText, runLengthText } from '../../../src/metrics/coco/run-length-text.js';
import { createRandom } from '../../../src/random.js';

const randomPixels = (seed: number, size: number): Uint8Array => {
  const random = createRandom(seed);
  return Uint8Array.from({ length: size }, () => random.integer(2));
};

describe('run lengths of masks', () => {
  it('go down the columns and start with what is outside', () => {
    expect(runLengthMask([1, 0, 0, 1, 1, 0], 2, 3).counts).toEqual([0, 2, 1, 1, 2]);
    expect(runLengthMask([0, 0], 1, 2).counts).toEqual([2]);
  });

  it('keep pixels, area, box and overlap', () => {
    const [height, width] = [7, 11];
    const a = randomPixels(1, height * width);
    const b = randomPixels(2, height * width);
    const masks = [runLengthMask(a, height, width), runLengthMask(b, height, width)] as const;
    expect(maskPixels(masks[0])).toEqual(a);
    expect(maskArea(masks[0])).toBe(a.reduce((sum, pixel) => sum + pixel, 0));
    expect(sharedArea(...masks)).toBe(a.filter((pixel, at) => pixel && b[at]).length);
    expect(maskBox(polygonMask([[2, 1, 6, 1, 6, 4, 2, 4]], height, width))).toEqual([2, 1, 4, 3]);
    expect(maskBox(runLengthMask(new Uint8Array(6), 2, 3))).toEqual([0, 0, 0, 0]);
  });

  it('come back from their text, also long and falling ones', () => {
    for (const counts of [
      [0, 5, 3, 70, 2, 1, 100_000, 4],
      [6],
      [],
      runLengthMask(randomPixels(3, 200), 10, 20).counts,
    ])
      expect(parseRunLengthText(runLengthText(counts))).toEqual(counts);
  });

  it('are not read from broken text', () => {
    expect(parseRunLengthText('P')).toBeUndefined(); // more was to follow
    expect(parseRunLengthText('!')).toBeUndefined();
    expect(parseRunLengthText('O')).toBeUndefined(); // −1
  });

  it('of outlines join where they meet, at the first and the last pixel too', () => {
    const left = [0, 0, 2, 0, 2, 3, 0, 3];
    const right = [2, 0, 4, 0, 4, 3, 2, 3];
    expect(polygonMask([right, left], 3, 4).counts).toEqual([0, 12]);
    expect(polygonMask([left], 3, 4).counts).toEqual([0, 6, 6]);
    expect(polygonMask([right], 3, 4).counts).toEqual([6, 6]);
    expect(polygonMask([], 3, 4).counts).toEqual([12]);
    const inside = [1, 1, 3, 1, 3, 2, 1, 2];
    const mask = polygonMask([inside, [-5, -5, 9, -5, 9, 9, -5, 9], inside], 3, 4);
    expect(mask.counts).toEqual([0, 12]);
  });

  it('of outlines are the same as of their pixels', () => {
    const [height, width] = [13, 17];
    const random = createRandom(5);
    for (let round = 0; round < 12; round++) {
      const polygons = Array.from({ length: 1 + random.integer(3) }, () =>
        Array.from({ length: 6 + 2 * random.integer(4) }, () => random.uniform() * 24 - 4),
      );
      const mask = polygonMask(polygons, height, width);
      expect(mask).toEqual(runLengthMask(maskPixels(mask), height, width));
      const parts = polygons.map((polygon) => maskPixels(polygonMask([polygon], height, width)));
      const union = parts.reduce((all, part) => all.map((pixel, at) => pixel | part[at]!));
      expect(maskPixels(mask)).toEqual(union);
    }
  });

  it('of outlines are the union of all parts', () => {
    const mask = polygonMask(
      [
        [1, 2, 4, 2, 4, 5, 1, 5],
        [3, 3, 6, 3, 6, 4, 3, 4],
      ],
      6,
      8,
    );
    const rows = Array.from({ length: 6 }, (_, row) =>
      maskPixels(mask)
        .slice(row * 8, row * 8 + 8)
        .join(''),
    );
    expect(rows).toEqual(['00000000', '00000000', '01110000', '01111100', '01110000', '00000000']);
  });
});
