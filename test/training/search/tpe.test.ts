import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/random.js';
import { randomSampler } from '../../../src/training/search/samplers.js';
import { search } from '../../../src/training/search/search.js';
import type { SearchSpace, TrialParameters } from '../../../src/training/search/search-space.js';
import { tpeSampler } from '../../../src/training/search/tpe.js';
import type { SearchDirection } from '../../../src/training/search/trial.js';

interface Vectors {
  readonly optuna: string;
  readonly trials: number;
  readonly objectives: Readonly<
    Record<string, { readonly direction: SearchDirection; readonly best: readonly number[] }>
  >;
}
const file = new URL('../../parity/optuna/vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

/** As in test/parity/optuna/make_vectors.py. */
const objectives: Readonly<
  Record<string, { readonly space: SearchSpace; readonly value: (given: TrialParameters) => number }>
> = {
  rates: {
    space: {
      learningRate: { kind: 'float', low: 1e-6, high: 1e-3, scale: 'log' },
      batchSize: { kind: 'categorical', choices: [8, 16, 32] },
    },
    value: ({ learningRate, batchSize }) =>
      (Math.log10(learningRate as number) + 4.3) ** 2 + { 8: 0.1, 16: 0, 32: 0.2 }[batchSize as 8 | 16 | 32],
  },
  branin: {
    space: { x: { kind: 'float', low: -5, high: 10 }, y: { kind: 'float', low: 0, high: 15 } },
    value(given) {
      const [x, y] = [given['x'] as number, given['y'] as number];
      const valley = y - (5.1 / (4 * Math.PI ** 2)) * x ** 2 + (5 / Math.PI) * x - 6;
      return valley ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
    },
  },
  mixed: {
    space: {
      width: { kind: 'int', low: 1, high: 256, scale: 'log' },
      depth: { kind: 'int', low: 2, high: 20, step: 3 },
      share: { kind: 'float', low: 0, high: 1 },
      kind: { kind: 'categorical', choices: ['a', 'b', 'c', 'd'] },
    },
    value(given) {
      const [width, depth, share] = ['width', 'depth', 'share'].map((name) => given[name] as number) as [
        number,
        number,
        number,
      ];
      const penalty = (Math.log2(width) - 4) ** 2 / 4 + Math.abs(depth - 11) / 6 + 3 * Math.abs(share - 0.7);
      return 2 - penalty - { a: 0.6, b: 0, c: 0.9, d: 0.3 }[given['kind'] as 'a'];
    },
  },
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

/** 95 % of the medians of resampled values, 2000 times. */
function medianInterval(values: readonly number[]): [number, number] {
  const random = createRandom(7);
  const medians = Array.from({ length: 2000 }, () =>
    median(values.map(() => values[random.integer(values.length)]!)),
  ).sort((a, b) => a - b);
  return [medians[49]!, medians[1949]!];
}

/** More than there, so that chance on our side is small beside the interval, which is chance on the other. */
const OUR_SEEDS = 500;
const seedsOf = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed);

const bestOf = async (name: string, seed: number, sampler = tpeSampler()): Promise<number> => {
  const { space, value } = objectives[name]!;
  const { direction } = vectors.objectives[name]!;
  const { best } = await search({
    ...{ space, sampler, direction, trialCount: vectors.trials, random: createRandom(seed) },
    objective: value,
  });
  return best!.value!;
};

describe("the estimator beside Optuna's", () => {
  it.each(Object.keys(vectors.objectives))(
    'has its median after 16 trials of %s inside the interval of 100 seeds there',
    async (name) => {
      const { best } = vectors.objectives[name]!;
      const ours = await Promise.all(seedsOf(OUR_SEEDS).map((seed) => bestOf(name, seed)));
      const [low, high] = medianInterval(best);
      expect(median(ours)).toBeGreaterThanOrEqual(low);
      expect(median(ours)).toBeLessThanOrEqual(high);
    },
  );

  it('finds better values than chance', async () => {
    const [estimated, drawn] = await Promise.all(
      [tpeSampler(), randomSampler].map(async (sampler) =>
        median(await Promise.all(seedsOf(100).map((seed) => bestOf('branin', seed, sampler)))),
      ),
    );
    expect(estimated).toBeLessThan(drawn!);
  });
});
