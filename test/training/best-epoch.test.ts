import { expect, it } from 'vitest';
import { BestEpoch } from '../../src/training/best-epoch.js';

it('keeps the first of equal epochs and stops after as many without gain as it waits for', () => {
  const follow = new BestEpoch(true, 2);
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
