import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/random.js';
import { Quantiles } from '../../../src/datasets/statistics/quantiles.js';

const SHARES = [0, 0.01, 0.02, 0.5, 0.98, 0.99, 1];

/** NumPy's `linear`, over all values. */
function exact(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return SHARES.map((share) => {
    const rank = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
    return low + (high - low) * (rank - Math.floor(rank));
  });
}

describe('quantiles', () => {
  it('of few values are exact, between two of them by a straight line', () => {
    const quantiles = new Quantiles('float32');
    for (const value of [4, -1, 2.5, 8]) quantiles.add(value);
    expect(quantiles.isExact).toBe(true);
    expect(quantiles.at([0, 0.5, 1])).toEqual([-1, 3.25, 8]);
  });

  it('of no value are none', () => {
    expect(new Quantiles('uint8').at([0.5])).toEqual([null]);
  });

  it('of many 16-bit integers are exact, negative ones too', () => {
    const random = createRandom(1);
    const values = Array.from({ length: 50_000 }, () => Math.round(20_000 * (random.uniform() - 0.3) ** 3));
    const quantiles = new Quantiles('int16');
    for (const value of values) quantiles.add(value);
    expect(quantiles.isExact).toBe(true);
    expect(quantiles.at(SHARES)).toEqual(exact(values));
  });

  it('of many fractions are at most 0.1 % away', () => {
    const random = createRandom(2);
    const values = Array.from(
      { length: 60_000 },
      () => Math.exp(6 * random.uniform() - 3) * (random.uniform() < 0.2 ? -1 : 1),
    );
    const quantiles = new Quantiles('float32');
    for (const value of values) quantiles.add(value);
    expect(quantiles.isExact).toBe(false);
    const wanted = exact(values);
    quantiles.at(SHARES).forEach((found, place) => {
      // a bin is 2^-9 of its value wide, and its middle is half of that away from its ends
      expect(Math.abs(found! - wanted[place]!)).toBeLessThanOrEqual(0.001 * Math.abs(wanted[place]!));
    });
  });
});
