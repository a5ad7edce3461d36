import path from 'node:path';
import { readNpy } from '../io/npy.js';

/** |a − b| ≤ absolute + relative · |b|, b the reference. */
export interface Tolerance {
  readonly atol: number;
  readonly rtol: number;
}

/** What a comparison found: undefined where all is equal, else one line about the largest difference. */
export function firstDifference(
  name: string,
  got: ArrayLike<number>,
  gotShape: readonly number[],
  expected: ArrayLike<number>,
  expectedShape: readonly number[],
  { atol, rtol }: Tolerance,
): string | undefined {
  if (gotShape.join() !== expectedShape.join()) {
    return `${name} is [${gotShape.join(', ')}], the reference has [${expectedShape.join(', ')}]`;
  }
  let worst = { excess: 0, index: -1 };
  for (let index = 0; index < expected.length; index++) {
    const difference = Math.abs(got[index]! - expected[index]!);
    const excess = difference - (atol + rtol * Math.abs(expected[index]!));
    // a NaN on either side is a difference, unless both have it
    const isNaNPair = Number.isNaN(got[index]) && Number.isNaN(expected[index]);
    if (!isNaNPair && !(excess <= worst.excess))
      worst = { excess: Number.isNaN(excess) ? Infinity : excess, index };
  }
  if (worst.index < 0) return undefined;
  const { index } = worst;
  return `${name} differs at element ${index}: ${got[index]} instead of ${expected[index]} (atol ${atol}, rtol ${rtol})`;
}

/** Reads an array of a fixture as numbers. */
export async function readReference(
  folder: string,
  file: string,
): Promise<{ readonly data: Float32Array; readonly shape: readonly number[] }> {
  const { data, shape } = await readNpy(path.join(folder, file));
  return { data: Float32Array.from(data as ArrayLike<number>), shape };
}
