import { describe, expect, it } from 'vitest';
import { assign, bandOrder, type BandNumbers } from '../../../src/datasets/check/band-order.js';

const STATED: BandNumbers[] = [
  { mean: 0.033, std: 0.023 },
  { mean: 0.057, std: 0.027 },
  { mean: 0.059, std: 0.04 },
  { mean: 0.232, std: 0.078 },
  { mean: 0.197, std: 0.087 },
  { mean: 0.119, std: 0.072 },
];
const WAVELENGTHS = [492, 560, 665, 865, 1614, 2202];
const MANY = { sampleCount: 100, wavelengthsNm: WAVELENGTHS };
const FEW = { sampleCount: 4, wavelengthsNm: WAVELENGTHS };

const ordered = (order: readonly number[], scale = 1): BandNumbers[] =>
  order.map((place) => ({ mean: scale * STATED[place]!.mean, std: scale * STATED[place]!.std }));

describe('the order of bands', () => {
  it('is right where numbers are those of the manifest, also brighter ones', () => {
    expect(bandOrder(ordered([0, 1, 2, 3, 4, 5]), STATED, MANY).misplaced).toEqual([]);
    expect(bandOrder(ordered([0, 1, 2, 3, 4, 5], 1.7), STATED, FEW).misplaced).toEqual([]);
  });

  it('names red and blue where they are exchanged, of few samples too', () => {
    const expected = [
      { place: 0, looksLike: 2 },
      { place: 2, looksLike: 0 },
    ];
    expect(bandOrder(ordered([2, 1, 0, 3, 4, 5]), STATED, FEW)).toEqual({
      misplaced: expected,
      isSure: true,
    });
    expect(bandOrder(ordered([2, 1, 0, 3, 4, 5], 1.4), STATED, MANY).misplaced).toEqual(expected);
  });

  it('names every band of a longer exchange, of many samples', () => {
    const { misplaced } = bandOrder(ordered([0, 1, 2, 4, 5, 3]), STATED, MANY);
    expect(misplaced).toEqual([
      { place: 3, looksLike: 4 },
      { place: 4, looksLike: 5 },
      { place: 5, looksLike: 3 },
    ]);
  });

  it('tells bands in dB apart, whose means have no logarithm', () => {
    const stated = [
      { mean: -12, std: 4 },
      { mean: -19, std: 4.5 },
    ];
    const context = { sampleCount: 100, wavelengthsNm: [null, null] };
    expect(bandOrder([stated[1]!, stated[0]!], stated, context).misplaced).toHaveLength(2);
    expect(
      bandOrder(
        [
          { mean: -14, std: 3 },
          { mean: -21, std: 3 },
        ],
        stated,
        context,
      ).misplaced,
    ).toEqual([]);
  });

  it('is sure of nothing that chance explains: few samples of other scenes', () => {
    const other = STATED.map(({ mean, std }, place) => ({
      mean: mean * (place % 2 ? 1.3 : 0.9),
      std: std / 3,
    }));
    expect(bandOrder(other, STATED, FEW).misplaced).toEqual([]);
  });
});

describe('the best assignment', () => {
  it('has the least sum of all permutations', () => {
    const costs = [
      [4, 1, 3, 9],
      [2, 0, 5, 3],
      [3, 2, 2, 1],
      [7, 8, 1, 4],
    ];
    const places = [0, 1, 2, 3];
    const sum = (columns: readonly number[]): number =>
      columns.reduce((total, column, row) => total + costs[row]![column]!, 0);
    const all = places.flatMap((a) =>
      places.flatMap((b) => places.flatMap((c) => places.map((d) => [a, b, c, d]))),
    );
    const least = Math.min(...all.filter((columns) => new Set(columns).size === 4).map(sum));
    const best = assign(costs);
    expect(new Set(best).size).toBe(4);
    expect(sum(best)).toBe(least);
  });
});
