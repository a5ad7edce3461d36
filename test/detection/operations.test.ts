import { describe, expect, it } from 'vitest';
import { cellAnchors, gridAnchors } from '../../src/detection/anchors.js';
import { decodeBoxes, encodeBoxes } from '../../src/detection/box-coder.js';
import { boxOverlaps, clipBoxes, largeBoxes } from '../../src/detection/boxes.js';
import { resizedSize } from '../../src/detection/image-transform.js';
import { BACKGROUND, BETWEEN, matchBoxes } from '../../src/detection/matcher.js';
import { pasteMask } from '../../src/detection/paste-masks.js';
import { pyramidLevels } from '../../src/detection/roi-align.js';
import { sampleBoxes } from '../../src/detection/sampler.js';
import { createRandom } from '../../src/random.js';

const boxes = (...sides: number[]): Float32Array => Float32Array.from(sides);

describe('anchors', () => {
  it('are taller for larger ratios, with sides rounded to whole pixels', () => {
    // 8 / √2 = 5.66 wide, 11.31 tall: ±2.83 and ±5.66
    expect([...cellAnchors({ sizes: [8], aspectRatios: [2] })]).toEqual([-3, -6, 3, 6]);
  });

  it('lie on a grid, row by row, with strides of their own each way', () => {
    const grid = gridAnchors({ sizes: [4], aspectRatios: [1] }, [30, 20], [2, 2]);
    expect([...grid]).toEqual([-2, -2, 2, 2, 8, -2, 12, 2, -2, 13, 2, 17, 8, 13, 12, 17]);
  });
});

describe('boxes', () => {
  it('come back from their differences', () => {
    const [from, to] = [boxes(10, 20, 50, 30), boxes(14, 10, 44, 40)];
    const deltas = encodeBoxes(from, to, [10, 10, 5, 5]);
    for (const [at, side] of decodeBoxes(deltas, from, [10, 10, 5, 5]).entries())
      expect(side).toBeCloseTo(to[at]!, 4); // float32 of some tens
  });

  it('grow by no more than 62.5 times', () => {
    const [left, , right] = decodeBoxes(boxes(0, 0, 99, 0), boxes(0, 0, 2, 4), [1, 1, 1, 1]);
    expect(right! - left!).toBeCloseTo(125, 3);
  });

  it('overlap by the shared share, and less than nothing by the generalised rule when apart', () => {
    const [a, b] = [boxes(0, 0, 4, 2), boxes(2, 0, 6, 2, 8, 0, 10, 2)];
    const [half, apart] = boxOverlaps(a, b);
    expect(half).toBeCloseTo(1 / 3, 6);
    expect(apart).toBe(0);
    expect(boxOverlaps(a, b, 'generalized')[1]).toBeCloseTo(-0.4, 6); // 4 of 10 columns uncovered
  });

  it('are cut at their image and known to be too small', () => {
    const cut = clipBoxes(boxes(-5, 2, 99, 70, 3, 3, 3, 9), [40, 60]);
    expect([...cut]).toEqual([0, 2, 60, 40, 3, 3, 3, 9]);
    expect(largeBoxes(cut, 1e-3)).toEqual([0]);
  });
});

describe('the matcher', () => {
  // two objects, four boxes
  const overlaps = boxes(0.8, 0.5, 0.1, 0.2, 0.1, 0.1, 0.2, 0);
  const rule = { foreground: 0.7, background: 0.3 };

  it('tells background and what lies between apart', () => {
    const matches = matchBoxes(overlaps, 2, 4, { ...rule, keepsBest: false });
    expect([...matches]).toEqual([0, BETWEEN, BACKGROUND, BACKGROUND]);
  });

  it('leaves every object its best box', () => {
    expect([...matchBoxes(overlaps, 2, 4, { ...rule, keepsBest: true })]).toEqual([
      0,
      BETWEEN,
      1,
      BACKGROUND,
    ]);
  });

  it('finds only background without objects', () => {
    expect([...matchBoxes(boxes(), 0, 2, { ...rule, keepsBest: true })]).toEqual([BACKGROUND, BACKGROUND]);
  });
});

describe('the sampler', () => {
  it('fills up with negatives and leaves out what is not used', () => {
    const labels = [1, 0, -1, 0, 2, 0, 0, 1];
    const random = createRandom(3);
    const options = { batchSize: 4, positiveFraction: 0.5 };
    const { positive, negative } = sampleBoxes(labels, options, random.permutation);
    expect([positive.length, negative.length]).toEqual([2, 2]);
    for (const at of positive) expect(labels[at]).toBeGreaterThan(0);
    for (const at of negative) expect(labels[at]).toBe(0);
  });
});

describe('levels and sizes', () => {
  it('go up with the size of a box, within the pyramid', () => {
    const sides = boxes(0, 0, 10, 10, 0, 0, 112, 112, 0, 0, 224, 224, 0, 0, 999, 999);
    expect(pyramidLevels(sides, [64, 32, 16, 8], { imageSize: [256, 512] })).toEqual([0, 1, 2, 3]);
  });

  it('fit the shorter side, or else the longer one', () => {
    expect(resizedSize([40, 24], { minSize: 48, maxSize: 64 })).toEqual([64, 38]);
    expect(resizedSize([30, 40], { minSize: 48, maxSize: 99 })).toEqual([48, 64]);
  });
});

describe('a pasted mask', () => {
  it('fills its box and nothing behind the edges of the image', () => {
    const patch = { values: new Float32Array(16).fill(1), side: 4 };
    const image = pasteMask(patch, boxes(2, -3, 8, 3), [5, 12]);
    expect(image[1 * 12 + 5]).toBe(1);
    expect(image[1 * 12 + 11]).toBe(0);
    expect(image[4 * 12 + 5]).toBeLessThan(0.5);
  });
});
