import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import type { SampleImage } from '../../src/datasets/sample.js';
import type { LabelArray } from '../../src/io/raster.js';
import { root } from './needs.js';

/** Fixtures in the layouts of the benchmarks: `<benchmark>/<dataset>`, with the answers in expected.json. */
export const layout = (benchmark: string, dataset: string): string =>
  path.join(root, 'test/fixtures/layouts', benchmark, dataset);

// answers are looked at one by one
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const readJson = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));

/** Folder of real samples beside the repository. They are never copied into it. */
export const realData = path.join(root, '..', 'shared', 'data');

/** Tests on real samples: run where those are, listed as skipped elsewhere. */
export const describeReal = (name: string, tests: () => void): void => {
  describe.skipIf(!existsSync(realData))(`${name} (needs ../shared/data)`, tests);
};

export interface BandNumbers {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std: number;
}

/** Of the stored numbers of some bands together, over all time steps; NaN is left out. Spread of the population. */
export function bandNumbers({ data, bands }: SampleImage, places: readonly number[]): BandNumbers {
  const values: number[] = [];
  for (let pixel = 0; pixel < data.length; pixel += bands.length) {
    for (const place of places) {
      const value = data[pixel + place]!;
      if (!Number.isNaN(value)) values.push(value);
    }
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    min: values.reduce((least, value) => Math.min(least, value), Infinity),
    max: values.reduce((most, value) => Math.max(most, value), -Infinity),
    mean,
    std: Math.sqrt(square / values.length),
  };
}

/** Names of the numbers that differ: the answers have seven digits, hence 1e-5 relative, 1e-6 absolute. */
export function differences(found: BandNumbers, expected: Partial<BandNumbers>): string[] {
  return (['min', 'max', 'mean', 'std'] as const).flatMap((name) => {
    const wanted = expected[name];
    if (wanted === undefined) return [];
    const isEqual = Math.abs(found[name] - wanted) <= Math.max(1e-6, 1e-5 * Math.abs(wanted));
    return isEqual ? [] : [`${name} ${found[name]} is not ${wanted}`];
  });
}

/** Pixels a value. */
export function histogram({ data }: LabelArray): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of data) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}
