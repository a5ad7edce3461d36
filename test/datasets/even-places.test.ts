import { describe, expect, it } from 'vitest';
import { evenPlaces } from '../../src/datasets/even-places.js';

describe('evenPlaces', () => {
  it.each([
    [50, [0, 9, 19, 29, 39, 49]],
    [38, [0, 7, 14, 22, 29, 37]],
    [6, [0, 1, 2, 3, 4, 5]],
    [4, [0, 0, 1, 1, 2, 3]],
    [1, [0, 0, 0, 0, 0, 0]],
  ])('of %i dates takes the six that numpy.linspace, cut to integers, takes', (count, places) => {
    expect(evenPlaces(count, 6)).toEqual(places);
  });

  it('takes the first where one is wanted', () => {
    expect(evenPlaces(9, 1)).toEqual([0]);
  });
});
