import { UsageError } from '../../errors.js';
import type { DatasetIo } from '../dataset-io.js';
import { emptySteps } from '../arrays.js';
import { stackTimes } from '../image.js';
import type { SampleImage } from '../sample.js';

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

/** The steps of an image at the places; null is a step of zeros that counts as no value. */
export function takeSteps(image: SampleImage, places: readonly (number | null)[]): SampleImage {
  const empty = emptySteps(image, 1, false);
  const steps = places.map((place) =>
    place === null ? { ...empty, steps: ['missing'] } : stepOf(image, place),
  );
  const { steps: names, ...stacked } = stackTimes(steps);
  return image.steps ? { ...stacked, ...(names && { steps: names }) } : stacked;
}

function stepOf(image: SampleImage, place: number): SampleImage {
  const length = image.data.length / image.timeCount;
  const [from, to] = [place * length, (place + 1) * length];
  return {
    ...image,
    data: image.data.subarray(from, to),
    valid: image.valid && image.valid.subarray(from, to),
    timeCount: 1,
    dates: [image.dates[place] ?? null],
    ...(image.steps && { steps: [image.steps[place]!] }),
  };
}
