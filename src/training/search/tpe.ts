import { checkCount } from './check-space.js';
import { parzenEstimator } from './parzen-estimator.js';
import { mapSpace, randomSampler, type SearchSampler } from './samplers.js';
import { cost, type SearchDirection, type Trial } from './trial.js';

export interface TpeOptions {
  /** Trials that are drawn at random first; default 10. */
  readonly startupTrials?: number;
  /** Places that are compared for each dimension; default 24. */
  readonly candidates?: number;
}

/**
 * Tree-structured Parzen estimator (Bergstra et al. 2011), each dimension by itself: candidates are drawn from the density
 * of the best tenth of all trials, at most 25, and the one where it stands out most from the density of the others is
 * taken. Complete and pruned trials count; the rules are those of Optuna's sampler with its defaults.
 * @throws UsageError SEARCH_OPTION
 */
export function tpeSampler({ startupTrials = 10, candidates = 24 }: TpeOptions = {}): SearchSampler {
  checkCount('startupTrials', startupTrials, 0);
  checkCount('candidates', candidates, 1);
  return (space, told) => {
    const finished = told.trials.filter(({ state }) => state !== 'failed');
    if (finished.length < startupTrials) return randomSampler(space, told);
    const { good, other } = splitTrials(finished, told.direction);
    return mapSpace(space, (dimension, name) => {
      const values = (trials: readonly Trial[]) =>
        trials.filter(({ parameters }) => name in parameters).map(({ parameters }) => parameters[name]!);
      const density = parzenEstimator(dimension, values(good));
      const background = parzenEstimator(dimension, values(other));
      const random = told.random.split(name);
      let best: { readonly value: ReturnType<typeof density.sample>; readonly gain: number } | undefined;
      for (let index = 0; index < candidates; index++) {
        const value = density.sample(random);
        const gain = density.logDensity(value) - background.logDensity(value);
        if (!best || gain > best.gain) best = { value, gain };
      }
      return best!.value;
    });
  };
}

/** The best trials and the others, each in the order of their numbers. */
function splitTrials(trials: readonly Trial[], direction: SearchDirection) {
  const count = Math.min(25, Math.ceil(0.1 * trials.length));
  const ranked = [...trials].sort(
    (a, b) => compare(rank(a, direction), rank(b, direction)) || a.number - b.number,
  );
  const byNumber = (some: readonly Trial[]): Trial[] => [...some].sort((a, b) => a.number - b.number);
  return { good: byNumber(ranked.slice(0, count)), other: byNumber(ranked.slice(count)) };
}

type Rank = readonly [isPruned: number, steps: number, cost: number];

/** Complete trials by their value; behind them pruned ones, the longest first, then by what they reported last. */
function rank({ value, reports }: Trial, direction: SearchDirection): Rank {
  if (value !== null) return [0, 0, cost(value, direction)];
  const last = reports.at(-1);
  return last ? [1, -last.step, cost(last.value, direction)] : [1, 1, 0];
}

const compare = (a: Rank, b: Rank): number => {
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing < 0 ? 0 : a[differing]! < b[differing]! ? -1 : 1;
};
