import { describe, expect, it } from 'vitest';
import { splineWeights } from '../../src/layers/cubic-spline.js';
import { coordinateTable, positionIndex, regionMask, windowRows } from '../../src/layers/window-tables.js';

describe('positionIndex', () => {
  it('numbers the way from key to query, rows first', () => {
    // 2 × 1: down −1, 0, 1; 1 × 2: right −1, 0, 1
    expect([...positionIndex([2, 1])]).toEqual([1, 0, 2, 1]);
    expect([...positionIndex([1, 2])]).toEqual([1, 0, 2, 1]);
    // 2 × 3: from the last token to the first it is one up and two left
    expect(positionIndex([2, 3])[5]).toBe(0);
    expect(positionIndex([2, 3])[5 * 6]).toBe(2 * 5 + 4);
  });
});

describe('coordinateTable', () => {
  it('runs from −1.0566 to 1.0566 with small steps near 0, rows first', () => {
    const table = coordinateTable([3, 2], [3, 2]);
    const largest = Math.log2(9) / 3; // 8 of 8
    const middle = Math.log2(5) / 3; // 4 of 8
    const rows = [-largest, -middle, 0, middle, largest];
    const wanted = rows.flatMap((row) => [-largest, 0, largest].flatMap((column) => [row, column]));
    expect(table).toEqual(Float32Array.from(wanted));
  });

  it('is 0 for a window of one pixel', () => {
    expect([...coordinateTable([1, 1], [1, 1])]).toEqual([0, 0]);
  });
});

describe('windowRows', () => {
  it('lists the positions of each window of a rolled map, rows first', () => {
    // 2 × 6 pixels in windows of 2 × 3, moved by one column: the last one holds columns 4, 5 and 0
    expect([...windowRows([2, 6], [2, 3], [0, 1])]).toEqual([1, 2, 3, 7, 8, 9, 4, 5, 0, 10, 11, 6]);
    expect([...windowRows([4, 1], [2, 1], [1, 0])]).toEqual([1, 2, 3, 0]);
  });
});

describe('regionMask', () => {
  it('parts what came round in the last windows, and only there', () => {
    // 4 columns, windows of 2, moved by 1: the last window holds column 3 and column 0
    const { data, windows } = regionMask([1, 4], [1, 2], [0, 1]);
    expect(windows).toBe(2);
    expect([...data]).toEqual([0, 0, 0, 0, 0, -100, -100, 0]);
  });

  it('parts nothing along an axis that is not moved', () => {
    const { data } = regionMask([4, 4], [2, 2], [1, 0]);
    const isMasked = [0, 1, 2, 3].map((at) => data.slice(at * 16, at * 16 + 16).some((value) => value < 0));
    expect(isMasked).toEqual([false, false, true, true]);
  });
});

describe('splineWeights', () => {
  it('reproduces a cubic between and beyond uneven places', () => {
    const cubic = (x: number): number => 2 * x ** 3 - x ** 2 + 3 * x - 1;
    const places = [-4, -1.7, -1, 0, 0.6, 2, 3.5];
    const wanted = [-4.2, -4, -2.2, -0.3, 0, 1.9, 3.4, 3.6];
    const values = splineWeights(places, wanted).map((weights) =>
      weights.reduce((sum, weight, index) => sum + weight * cubic(places[index]!), 0),
    );
    for (const [index, x] of wanted.entries()) expect(values[index]).toBeCloseTo(cubic(x), 9);
  });
});
