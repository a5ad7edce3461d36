import { UsageError } from '../../errors.js';
import type { DatasetIo } from '../dataset-io.js';

/** Number of time steps that the caller wants; null: all. @throws UsageError PARAMETER_VALUE */
export function wantedSteps(io: DatasetIo): number | null {
  const wanted = io.parameter('timeSteps');
  if (wanted === null) return null;
  if (typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 1) return wanted;
  throw wrongValue('timeSteps', wanted, 'a whole number from 1 on, or null for all');
}

export const wrongValue = (name: string, value: unknown, wanted: string): UsageError =>
  new UsageError('PARAMETER_VALUE', `The parameter "${name}" is ${JSON.stringify(value)}.`, {
    hint: `It can be ${wanted}.`,
  });

/**
 * Places of `wanted` of `count` steps as the benchmark spreads them: i · count / wanted, fractions cut off. Where there
 * are fewer, all of them, with missing ones (null) in front.
 */
export function spreadPlaces(count: number, wanted: number): (number | null)[] {
  if (count < wanted)
    return [...noSteps(wanted - count), ...Array.from({ length: count }, (_, step) => step)];
  return Array.from({ length: wanted }, (_, i) => Math.trunc((i * count) / wanted));
}

/** The first `wanted` of `count` steps, with missing ones (null) in front where there are fewer. */
export function firstPlaces(count: number, wanted: number): (number | null)[] {
  const taken = Math.min(count, wanted);
  return [...noSteps(wanted - taken), ...Array.from({ length: taken }, (_, step) => step)];
}

const noSteps = (count: number): null[] => Array.from({ length: count }, () => null);
