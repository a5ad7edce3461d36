import { expect, it } from 'vitest';
import { BestEpoch } from '../../src/training/best-epoch.js';

it('keeps the first of equal epochs and stops after as many without gain as it waits for', () => {
  const follow = new BestEpoch(true, { patience: 2 });
  const added = [null, Number.NaN, 0.4, 0.4, 0.3].map((value) => [follow.add(value), follow.isOver]);
  expect(added).toEqual([
    [true, false], // nothing better yet
    [false, false],
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(follow.best).toEqual({ epoch: 2, value: 0.4 });
});

it('takes the lowest of an error, and never stops without patience', () => {
  const follow = new BestEpoch(false);
  for (const value of [3, 2, 5, 5, 5]) follow.add(value);
  expect(follow.best).toEqual({ epoch: 1, value: 2 });
  expect(follow.isOver).toBe(false);
});

it('begins to wait anew only where the gain exceeds the smallest one', () => {
  const add = (isHigherBetter: boolean, values: readonly number[]) => {
    const follow = new BestEpoch(isHigherBetter, { patience: 2, smallestGain: 0.25 });
    return values.map((value) => [follow.add(value), follow.isOver]);
  };
  // numbers that are exact in binary: 0.25 more is not more than 0.25
  expect(add(true, [0.5, 0.75, 0.8125])).toEqual([
    [true, false],
    [false, false],
    [true, false],
  ]);
  // many small gains are counted from the last that was one
  expect(add(true, [0.5, 0.625, 0.75])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(add(false, [2, 1.75, 1.5])).toEqual([
    [true, false],
    [false, false],
    [true, false],
  ]);
});
