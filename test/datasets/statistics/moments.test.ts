import { describe, expect, it } from 'vitest';
import { Moments } from '../../../src/datasets/statistics/moments.js';

describe('moments of numbers that come in parts', () => {
  it('are those of all numbers together, over those that count', () => {
    const moments = new Moments();
    // two bands: 1, 5, masked, NaN and 3; the other one is 100 everywhere
    const first = moments.add([1, 100, 5, 100, 7, 100], Uint8Array.from([1, 1, 1, 1, 0, 1]), 0, 2);
    expect(first).toEqual({ count: 2, mean: 3 });
    expect(moments.add([NaN, 100, 3, 100], null, 0, 2)).toEqual({ count: 1, mean: 3 });
    expect(moments).toMatchObject({ count: 3, mean: 3, min: 1, max: 5, squares: 8 });
    expect(moments.spread).toBe(Math.sqrt(8 / 3));
  });

  it('keep their digits far from 0, also behind a first number that lies elsewhere', () => {
    const moments = new Moments();
    moments.add([0]);
    const values = Array.from({ length: 10_000 }, (_, i) => 1e9 + (i % 2));
    moments.add(values);
    const count = 10_001;
    // squares of 10,000 numbers around 1e9 + 0.5, and of the two parts' means around the mean of all
    const squares = 10_000 * 0.25 + ((1e9 + 0.5) ** 2 * 10_000) / count;
    expect(moments.squares / squares).toBeCloseTo(1, 12);
    const far = new Moments();
    far.add(values.slice(0, 5000));
    far.add(values.slice(5000));
    expect(far.spread).toBe(0.5);
  });

  it('count infinite numbers apart, and are none where there is no number', () => {
    const moments = new Moments();
    expect(moments.add([Infinity, -Infinity, NaN])).toBeNull();
    expect(moments).toMatchObject({ count: 0, infiniteCount: 2 });
    expect(moments.spread).toBeNaN();
  });
});
