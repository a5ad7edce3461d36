import { describe, expect, it } from 'vitest';
import { RunningStatistics } from '../../src/io/statistics.js';

function of(
  values: readonly number[],
  isWhole = false,
  valid: readonly number[] | null = null,
): ReturnType<RunningStatistics['result']> {
  const statistics = new RunningStatistics(isWhole);
  statistics.add(values, valid);
  return statistics.result();
}

describe('statistics', () => {
  it('leave out and count what is not finite', () => {
    expect(of([1, NaN, 3, Infinity, -Infinity])).toEqual({
      count: 2,
      nanCount: 1,
      infCount: 2,
      sum: 4,
      mean: 2,
      min: 1,
      max: 3,
      std: 1,
    });
  });

  it('of nothing are null, not NaN and not 0', () => {
    const none = { sum: null, mean: null, min: null, max: null, std: null };
    expect(of([])).toEqual({ count: 0, nanCount: 0, infCount: 0, ...none });
    expect(of([NaN])).toEqual({ count: 0, nanCount: 1, infCount: 0, ...none });
  });

  it('take only what counts, and every stride-th value', () => {
    expect(of([1, 100, 3], false, [1, 0, 1])).toMatchObject({ count: 2, sum: 4 });
    const statistics = new RunningStatistics(true);
    statistics.add([1, 10, 2, 20, 3, 30], null, 1, 2);
    expect(statistics.result()).toMatchObject({ count: 3, sum: 60, min: 10 });
  });

  it('of whole numbers have the exact sum, also past 2^53', () => {
    const large = [2 ** 53, 1, 2 ** 53, 1, -(2 ** 53)];
    expect(of(large, true).sum).toBe(2 ** 53 + 2);
    const many = new RunningStatistics(true);
    for (let i = 0; i < 3; i++) many.add(new Array<number>(2 ** 20).fill(2 ** 32 - 1));
    expect(many.result().sum).toBe(3 * 2 ** 20 * (2 ** 32 - 1));
  });

  it('of fractions keep what single steps round away', () => {
    expect(of([1e16, 1.5, -1e16]).sum).toBe(1.5);
  });

  it('have the spread of values that differ in their last digits', () => {
    const { std } = of([1e9, 1e9 + 0.01, 1e9 + 0.02]);
    expect(std).toBeCloseTo(0.008165, 5); // 1e9 holds differences of 1e-7
  });
});
