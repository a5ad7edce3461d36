import type { Random } from '../../random.js';
import { GondwanaError } from '../../errors.js';
import type { Pruner } from './pruners.js';
import type { SearchSampler } from './samplers.js';
import { checkCount, checkSpace, checkTrials, searchOption } from './check-space.js';
import type { TrialParameters, SearchSpace } from './search-space.js';
import { bestTrial, type SearchDirection, type TrialReport, type Trial } from './trial.js';

export interface SearchOptions {
  readonly space: SearchSpace;
  readonly sampler: SearchSampler;
  readonly direction: SearchDirection;
  /** Trials that end complete or pruned; failed ones are made up for. */
  readonly trialCount: number;
  /** Ends trials early by what they report. Default: none ends early. */
  readonly pruner?: Pruner;
  readonly random: Random;
  /** The value of some parameters, e.g. the best validation score of a training; one that is not finite counts as none. */
  readonly objective: (parameters: TrialParameters, trial: RunningTrial) => number | Promise<number>;
  /** Trials of a search that was stopped, as they were stored: it goes on as if it had not been. */
  readonly previous?: readonly Trial[];
  /** Told of every trial that has ended, so that it is stored. */
  readonly onTrial?: (trial: Trial) => void | Promise<void>;
  /** Whether the search goes on after this error, e.g. one of memory. Default: it ends with it. */
  readonly isFailure?: (error: unknown) => boolean;
}

export interface RunningTrial {
  readonly number: number;
  /**
   * A value on the way, steps ascending.
   * @returns true where the trial is to end: what the objective returns then does not count
   */
  readonly report: (step: number, value: number) => boolean;
}

export interface SearchResult {
  readonly trials: readonly Trial[];
  /** Undefined where no trial is complete. */
  readonly best: Trial | undefined;
}

/**
 * Looks for parameters with the best value, trial by trial. Every trial draws from a stream of its own number, so that a
 * search that was stopped finds the same.
 * @throws InputError SEARCH_SPACE; UsageError SEARCH_OPTION; the last error where as many trials in a row fail as are asked
 * for; what the objective throws and `isFailure` does not take
 */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { space, direction, trialCount, onTrial } = options;
  checkSpace(space);
  checkCount('trialCount', trialCount, 1);
  if (direction !== 'minimize' && direction !== 'maximize')
    throw searchOption('direction', direction, '"minimize" or "maximize"');
  checkTrials(space, options.previous ?? []);
  const trials: Trial[] = [...(options.previous ?? [])];
  let failuresInARow = trials.length - 1 - trials.findLastIndex(({ state }) => state !== 'failed');
  while (trials.filter(({ state }) => state !== 'failed').length < trialCount) {
    const { trial, error } = await runTrial(options, trials);
    trials.push(trial);
    await onTrial?.(trial);
    failuresInARow = trial.state === 'failed' ? failuresInARow + 1 : 0;
    if (failuresInARow >= trialCount) throw error;
  }
  return { trials, best: bestTrial(trials, direction) };
}

async function runTrial(
  { space, sampler, direction, pruner, random, objective, isFailure }: SearchOptions,
  trials: readonly Trial[],
): Promise<{ readonly trial: Trial; readonly error?: unknown }> {
  const number = trials.length;
  const told = { trials, direction };
  const parameters = sampler(space, { ...told, random: random.split(`trial/${number}`) });
  const reports: TrialReport[] = [];
  let isPruned = false;
  const running: RunningTrial = {
    number,
    report(step, value) {
      reports.push({ step, value });
      isPruned ||= pruner?.({ number, reports }, told) ?? false;
      return isPruned;
    },
  };
  const record = { number, parameters, reports };
  try {
    const value: unknown = await objective(parameters, running);
    if (typeof value !== 'number')
      throw searchOption('The value of a trial', value, 'a number: `objective` has to return one');
    if (isPruned) return { trial: { ...record, state: 'pruned', value: null } };
    return { trial: { ...record, state: 'complete', value: Number.isFinite(value) ? value : null } };
  } catch (error) {
    if (!isFailure?.(error)) throw error;
    const text = error instanceof GondwanaError ? `${error.code}: ${error.message}` : String(error);
    return { trial: { ...record, state: 'failed', value: null, error: text }, error };
  }
}
