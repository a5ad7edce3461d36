import { describe, expect, it } from 'vitest';
import { packTasks, type Unit } from '../../src/scale-out/pack-tasks.js';

const units = (count: number, seconds: number | null, prefix = 'u'): Unit[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, seconds }));
const auto = { minutes: null, pack: null };
const limits = { maximumMinutes: Infinity, arraySize: 1000 };

describe('packing runs into tasks', () => {
  it('fills tasks up to 45 minutes, and leaves half as much again', () => {
    const chunks = packTasks(units(640, 600), auto, limits);
    expect(chunks).toHaveLength(1);
    expect(new Set(chunks[0]!.tasks.map((ids) => ids.length))).toEqual(new Set([4])); // 5 × 10 min are 50
    expect(chunks[0]!.limitMinutes).toBe(70); // 40 min × 1.5 + 1 min, in steps of ten
    expect(chunks[0]!.tasks.flat()).toHaveLength(640);
  });

  it('spreads few short runs over 32 tasks, or as many as may run', () => {
    expect(packTasks(units(64, 1), auto, limits)[0]!.tasks).toHaveLength(32);
    const [chunk] = packTasks(units(64, 1), { ...auto, arrayLimit: 4 }, limits);
    expect(chunk!.tasks).toHaveLength(4);
    expect(chunk!.limitMinutes).toBe(10);
  });

  it('gives a run that was never measured a task and four hours, at most what the partition has', () => {
    const mixed = [...units(3, null, 'new'), ...units(40, 60)];
    const chunks = packTasks(mixed, auto, limits);
    const long = chunks.find(({ limitMinutes }) => limitMinutes === 240)!;
    expect(long.tasks).toEqual([['new0'], ['new1'], ['new2']]);
    expect(packTasks(mixed, auto, { ...limits, maximumMinutes: 90 })[0]!.limitMinutes).toBe(90);
  });

  it('takes the number of runs and the limit as they are asked for', () => {
    const chunks = packTasks(units(7, null), { minutes: 25, pack: 3 }, limits);
    expect(chunks).toMatchObject([{ limitMinutes: 25 }]);
    expect(chunks[0]!.tasks.map((ids) => ids.length)).toEqual([3, 3, 1]);
  });

  it('divides by the size of arrays and by limits, and loses no run', () => {
    const mixed = [...units(5, 20_000, 'long'), ...units(23, 2400)];
    const chunks = packTasks(mixed, auto, { ...limits, arraySize: 10 });
    expect(chunks.every(({ tasks }) => tasks.length <= 10)).toBe(true);
    expect(chunks.map(({ limitMinutes }) => limitMinutes)).toEqual([510, 70, 70, 70]);
    expect(chunks.flatMap(({ tasks }) => tasks.flat()).sort()).toEqual(mixed.map(({ id }) => id).sort());
  });
});
