import { describe, expect, it } from 'vitest';
import { learningRateFactor, plateauFactor, type Schedule } from '../../src/training/schedules.js';

const factors = (schedule: Schedule, totalSteps: number): number[] =>
  Array.from({ length: totalSteps }, (_, step) => learningRateFactor(schedule, step, totalSteps));

describe('schedules', () => {
  it('drop at shares of all steps, rounded down, as PANGAEA drops', () => {
    const schedule = {
      name: 'multi-step',
      milestones: [{ share: 0.6 }, { share: 0.9 }],
      gamma: 0.1,
    } as const;
    const found = factors(schedule, 12); // milestones at 7 and 10
    expect(found.map((factor) => Math.round(factor * 100))).toEqual([
      ...new Array<number>(7).fill(100),
      ...[10, 10, 10, 1, 1],
    ]);
  });

  it('count what follows a warm-up from its end', () => {
    const schedule = {
      name: 'linear-warm-up',
      length: 4,
      startFactor: 0.2,
      then: { name: 'cosine' },
    } as const;
    const found = factors(schedule, 12);
    expect(found.slice(0, 5)).toEqual([0.2, 0.4, expect.closeTo(0.6, 12), expect.closeTo(0.8, 12), 1]);
    expect(found[8]).toBeCloseTo(0.5, 12); // half of the eight steps that are left
  });

  it('stay where they are at the end of a poly', () => {
    expect(learningRateFactor({ name: 'poly', length: 4, power: 2 }, 3, 10)).toBeCloseTo(1 / 16, 12);
    expect(learningRateFactor({ name: 'poly', length: 4, power: 2 }, 9, 10)).toBe(0);
  });
});

describe('a plateau', () => {
  it('lowers the rate after more values without gain than it waits for, not before', () => {
    const plateau = { factor: 0.5, patience: 1 };
    expect(plateauFactor(plateau, [3, 3])).toBe(1);
    expect(plateauFactor(plateau, [3, 3, 3])).toBe(0.5);
    expect(plateauFactor({ ...plateau, cooldown: 2 }, [3, 3, 3, 3, 3, 3])).toBe(0.5);
    expect(plateauFactor({ ...plateau, isHigherBetter: true }, [3, 4, 5, 6])).toBe(1);
    expect(plateauFactor({ ...plateau, smallestFactor: 0.4 }, [3, 3, 3, 3, 3, 3, 3])).toBe(0.4);
  });
});
