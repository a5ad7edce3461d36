import { describe, expect, it } from 'vitest';
import { bandStatistics, normalization } from '../../src/preprocessing/normalize.js';

/** Two bands with other means and spreads, height ≠ width. */
const image = {
  data: Uint8Array.from([0, 100, 2, 100, 4, 130, 6, 130, 8, 160, 10, 160]),
  height: 2,
  width: 3,
  bandCount: 2,
};

describe('band statistics', () => {
  it('are exact, band by band, with the population spread', () => {
    const { mean, standardDeviation } = bandStatistics([image]);
    expect([...mean]).toEqual([5, 130]);
    expect(standardDeviation[0]).toBeCloseTo(Math.sqrt(35 / 3), 12);
    expect(standardDeviation[1]).toBeCloseTo(Math.sqrt(600), 12);
  });

  it('weigh pixels, not images', () => {
    const small = { data: Uint8Array.from([50, 10]), height: 1, width: 1, bandCount: 2 };
    expect(bandStatistics([image, small]).mean[0]).toBeCloseTo(80 / 7, 12);
  });
});

describe('normalisation', () => {
  const statistics = bandStatistics([image]);

  it('by z-score shifts by the mean and scales by the spread of each band', () => {
    const { shift, scale } = normalization('z-score', statistics);
    expect(shift).toEqual([5, 130]);
    expect(scale[1]).toBeCloseTo(Math.sqrt(600), 12);
  });

  it('by none leaves the values alone', () => {
    expect(normalization('none', statistics)).toEqual({ shift: [0, 0], scale: [1, 1] });
  });

  it('only shifts a band that is constant', () => {
    const flat = bandStatistics([{ data: new Uint8Array(4).fill(9), height: 2, width: 2, bandCount: 1 }]);
    expect(normalization('z-score', flat)).toEqual({ shift: [9], scale: [1] });
  });
});
