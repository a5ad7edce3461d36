import { describe, expect, it } from 'vitest';
import { parseSlurmTime, slurmTime } from '../../src/scale-out/slurm-time.js';

describe('times of Slurm', () => {
  it.each([
    ['90', 90],
    ['90:30', 90.5],
    ['1:30:00', 90],
    ['2-12', 3600],
    ['2-12:30', 3630],
    ['2-12:30:30', 3630.5],
    ['UNLIMITED', Infinity],
  ])('%s are minutes', (text, minutes) => expect(parseSlurmTime(text)).toBe(minutes));

  it.each(['', '1h', '-5', '1:2:3', '4:00:00; reboot'])('%j is none', (text) =>
    expect(parseSlurmTime(text)).toBeUndefined(),
  );

  it('are written with days', () => {
    expect(slurmTime(10)).toBe('0-00:10:00');
    expect(slurmTime(1500.2)).toBe('1-01:01:00');
  });
});
