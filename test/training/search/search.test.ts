import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.js';
import { createRandom } from '../../../src/random.js';
import { hyperbandPruner, medianPruner } from '../../../src/training/search/pruners.js';
import { gridSampler, randomSampler } from '../../../src/training/search/samplers.js';
import { search, type SearchOptions } from '../../../src/training/search/search.js';
import type { SearchSpace } from '../../../src/training/search/search-space.js';
import { tpeSampler } from '../../../src/training/search/tpe.js';
import type { Trial } from '../../../src/training/search/trial.js';

const space: SearchSpace = {
  rate: { kind: 'float', low: 1e-5, high: 1e-1, scale: 'log' },
  depth: { kind: 'int', low: 1, high: 7, step: 2 },
  width: { kind: 'int', low: 1, high: 64, scale: 'log' },
  name: { kind: 'categorical', choices: ['a', null, 3] },
};

const options = (more: Partial<SearchOptions> = {}): SearchOptions => ({
  ...{ space, sampler: tpeSampler(), direction: 'minimize', trialCount: 20, random: createRandom(5) },
  objective: ({ rate, depth }) => Math.abs(Math.log10(rate as number) + 3) + (depth as number),
  ...more,
});

describe('search', () => {
  it('stays inside the space, with every sampler', async () => {
    for (const sampler of [randomSampler, tpeSampler()]) {
      const { trials } = await search(options({ sampler, trialCount: 60 }));
      for (const { parameters } of trials) {
        expect(parameters['rate']).toBeGreaterThanOrEqual(1e-5);
        expect(parameters['rate']).toBeLessThanOrEqual(1e-1);
        expect([1, 3, 5, 7]).toContain(parameters['depth']);
        expect(Number.isInteger(parameters['width'])).toBe(true);
        expect(parameters['width']).toBeGreaterThanOrEqual(1);
        expect(parameters['width']).toBeLessThanOrEqual(64);
        expect(['a', null, 3]).toContain(parameters['name']);
      }
      expect(new Set(trials.map(({ parameters }) => parameters['depth']))).toEqual(new Set([1, 3, 5, 7]));
    }
  });

  it('draws equal factors of a logarithmic scale alike', async () => {
    const { trials } = await search(options({ sampler: randomSampler, trialCount: 400 }));
    const share = (name: string, below: number): number =>
      trials.filter(({ parameters }) => (parameters[name] as number) < below).length / 400;
    // half of the draws ± 2.5 %, here 4 deviations
    expect(Math.abs(share('rate', 1e-3) - 0.5)).toBeLessThan(0.1);
    // whole numbers below 6 take log(5.5 / 0.5) of log(64.5 / 0.5)
    expect(Math.abs(share('width', 6) - Math.log(11) / Math.log(129))).toBeLessThan(0.1);
  });

  it('is the same for the same seed, another for another', async () => {
    const [a, b, c] = await Promise.all(
      [5, 5, 6].map((seed) => search(options({ random: createRandom(seed) }))),
    );
    expect(a).toEqual(b);
    expect(a!.trials).not.toEqual(c!.trials);
  });

  it('goes on from stored trials as if it had not stopped', async () => {
    const whole = await search(options());
    const stored: string[] = [];
    const stop = new Error('stop');
    const stopped = search(
      options({
        onTrial: (trial) => {
          stored.push(JSON.stringify(trial));
          if (stored.length === 13) throw stop;
        },
      }),
    );
    await expect(stopped).rejects.toBe(stop);
    const previous = stored.map((line) => JSON.parse(line) as Trial);
    expect(await search(options({ previous }))).toEqual(whole);
  });

  it('finds the largest value where more is better', async () => {
    const { best, trials } = await search(
      options({ direction: 'maximize', objective: ({ depth }) => depth as number }),
    );
    expect(best!.value).toBe(7);
    expect(best!.number).toBe(trials.find(({ value }) => value === 7)!.number);
  });

  it('never takes NaN for the best', async () => {
    const objective: SearchOptions['objective'] = (_, { number }) => (number % 2 ? number : Number.NaN);
    for (const direction of ['minimize', 'maximize'] as const) {
      const { best } = await search(options({ direction, objective }));
      expect(best!.number).toBe(direction === 'minimize' ? 1 : 19);
    }
  });

  it('makes up for failed trials, ends with other errors, and with nothing but failures', async () => {
    const memory = new InputError('OUT_OF_MEMORY', 'too large');
    const failing =
      (when: (number: number) => boolean): SearchOptions['objective'] =>
      (_, { number }) => {
        if (when(number)) throw memory;
        return number;
      };
    const { trials } = await search(
      options({ objective: failing((number) => number % 3 === 0), isFailure: (error) => error === memory }),
    );
    expect(trials.filter(({ state }) => state === 'complete')).toHaveLength(20);
    expect(trials[3]).toMatchObject({ state: 'failed', value: null, error: 'OUT_OF_MEMORY: too large' });
    await expect(search(options({ objective: failing(() => true) }))).rejects.toBe(memory);
    const seen: Trial[] = [];
    const hopeless = search(
      options({
        objective: failing(() => true),
        isFailure: () => true,
        onTrial: (trial) => void seen.push(trial),
      }),
    );
    await expect(hopeless).rejects.toBe(memory);
    expect(seen).toHaveLength(20);
  });

  it.each([
    [{}, 'no dimension'],
    [{ rate: { kind: 'float', low: 0, high: 1, scale: 'log' } }, 'above 0'],
    [{ rate: { kind: 'float', low: 2, high: 1 } }, 'no range'],
    [{ rate: { kind: 'float', low: -1.7e308, high: 1.7e308 } }, 'no range'],
    [{ rate: { kind: 'float', low: 0, high: NaN } }, 'no range'],
    [{ rate: { kind: 'float', low: 1, high: 2, scale: 'logarithmic' } }, 'neither linear nor log'],
    [{ rate: { kind: 'flaot', low: 1, high: 2 } }, 'no dimension'],
    [{ rate: null }, 'no dimension'],
    [{ depth: { kind: 'int', low: 0.5, high: 4 } }, 'no whole numbers'],
    [{ depth: { kind: 'int', low: 0, high: 1e300 } }, 'no whole numbers'],
    [{ depth: { kind: 'int', low: 1, high: 4, scale: 'log', step: 2 } }, 'step'],
    [{ name: { kind: 'categorical', choices: [] } }, 'no choices'],
  ] as const)('refuses the space %j', async (bad, message) => {
    await expect(search(options({ space: bad as SearchSpace }))).rejects.toMatchObject({
      ...{ code: 'SEARCH_SPACE', message: expect.stringContaining(message) as string },
    });
  });
});

describe('ends of the numbers', () => {
  it.each([
    [-1e308, 7e307],
    [1.7e308, 1.7e308],
    [0, Number.MIN_VALUE],
    [5, 5],
  ])('are searched from %f to %f without end', async (low, high) => {
    const { trials } = await search(
      options({ space: { x: { kind: 'float', low, high } }, trialCount: 14, objective: () => 0 }),
    );
    for (const { parameters } of trials) {
      expect(parameters['x']).toBeGreaterThanOrEqual(low);
      expect(parameters['x']).toBeLessThanOrEqual(high);
    }
  });
});

describe('options of a search', () => {
  const wrong = (value: unknown) => value as never;

  it.each<[string, () => unknown]>([
    ...[0, -1, 1.5, NaN, Infinity].map((count): [string, () => unknown] => [
      `trialCount ${count}`,
      () => search(options({ trialCount: count })),
    ]),
    ['direction', () => search(options({ direction: wrong('max') }))],
    ['no value', () => search(options({ objective: () => wrong(undefined) }))],
    ['candidates', async () => tpeSampler({ candidates: 0 })],
    ['startupTrials', async () => medianPruner({ startupTrials: NaN })],
    ['maximumSteps', async () => hyperbandPruner({ maximumSteps: 0 })],
    ['reduction', async () => hyperbandPruner({ maximumSteps: 9, reduction: 1 })],
  ])('are checked: %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'SEARCH_OPTION' });
  });

  it('take no trials of another space, around which nothing of this one would ever be drawn', async () => {
    const { trials } = await search(options({ trialCount: 12 }));
    const moved: SearchSpace = { ...space, rate: { kind: 'float', low: 100, high: 101 } };
    await expect(search(options({ space: moved, previous: trials }))).rejects.toMatchObject({
      code: 'SEARCH_SPACE',
      message: expect.stringContaining('Trial 0 has rate') as string,
    });
  });

  it('count the failures before a stop among those in a row', async () => {
    const stored: Trial[] = [0, 1, 2].map((number) => ({
      ...{ number, parameters: {}, state: 'failed', value: null, reports: [] },
    }));
    let asked = 0;
    const objective = () => Promise.reject(new Error(`failure ${++asked}`));
    const given = options({ trialCount: 4, previous: stored, objective, isFailure: () => true });
    await expect(search(given)).rejects.toThrow('failure 1');
  });

  it('keep a value that is not finite as none, as a file would', async () => {
    const { trials, best } = await search(options({ trialCount: 3, objective: () => NaN }));
    expect(trials.map(({ state, value }) => [state, value])).toEqual(Array(3).fill(['complete', null]));
    expect(best).toBeUndefined();
  });
});

describe('the grid', () => {
  it('takes all combinations once, the last dimension fastest', async () => {
    const grid: SearchSpace = {
      a: { kind: 'categorical', choices: [1, 2] },
      b: { kind: 'categorical', choices: ['x', 'y', 'z'] },
    };
    const { trials } = await search(
      options({ space: grid, sampler: gridSampler, trialCount: 6, objective: () => 0 }),
    );
    expect(trials.map(({ parameters: { a, b } }) => `${a}${b}`)).toEqual([
      '1x',
      '1y',
      '1z',
      '2x',
      '2y',
      '2z',
    ]);
    await expect(search(options({ sampler: gridSampler }))).rejects.toMatchObject({ code: 'SEARCH_SPACE' });
  });
});

describe('pruning', () => {
  /** Nine steps; the value of a trial stays what its number says. */
  const inSteps =
    (values: readonly number[]): SearchOptions['objective'] =>
    (_, { number, report }) => {
      for (let step = 1; step <= 9; step++) if (report(step, values[number % values.length]!)) break;
      return values[number % values.length]!;
    };
  const ends = async (more: Partial<SearchOptions>) => {
    const { trials } = await search(options(more));
    return trials.map(({ state, reports }) => [state, reports.length] as const);
  };

  it('by the median ends what is worse than half of the complete trials, after those it starts with', async () => {
    const objective = inSteps([5, 4, 6, 7, 1]);
    const pruner = medianPruner({ startupTrials: 3, warmUpSteps: 2 });
    const states = await ends({ objective, pruner, trialCount: 8 });
    const whole = ['complete', 9];
    expect(states).toEqual([whole, whole, whole, ['pruned', 2], whole, ['pruned', 2], whole, ['pruned', 2]]);
  });

  it('by Hyperband lets a third go on at each comparison, later ones in higher brackets', async () => {
    // worse and worse: all but the first of a bracket end at its first comparison
    const objective = inSteps(Array.from({ length: 9 }, (_, index) => index));
    const states = await ends({ objective, pruner: hyperbandPruner({ maximumSteps: 9 }), trialCount: 9 });
    expect(states.slice(0, 3)).toEqual([
      ['complete', 9],
      ['complete', 9],
      ['complete', 9],
    ]);
    expect(states.slice(3)).toEqual([
      ...[
        ['pruned', 1],
        ['pruned', 3],
        ['complete', 9],
      ],
      ...[
        ['pruned', 1],
        ['pruned', 3],
        ['complete', 9],
      ],
    ]);
  });
});
