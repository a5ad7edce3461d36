import { describe, expect, it } from 'vitest';
import {
  madeUpFor,
  outcomeOfFailure,
  replaySearch,
  type PlannedSearch,
  type TrialOutcome,
} from '../../src/studies/replay-search.js';
import type { SearchSpec } from '../../src/studies/study-search.js';
import type { PlannedRun } from '../../src/studies/study.js';

const RATES = { learningRate: { kind: 'float', low: 1e-5, high: 1e-1, scale: 'log' } } as const;

function searchWith(change: Partial<SearchSpec> = {}): PlannedSearch {
  const spec: SearchSpec = {
    ...{ id: 'mine', sampler: 'tpe', pruner: null, trialCount: 4, space: RATES, seed: 3 },
    ...{ direction: 'maximize', digest: 'd', ...change },
  };
  const runOf = (id: string): PlannedRun => ({ id, arm: id, definition: {} as PlannedRun['definition'] });
  return {
    ...{ spec, arm: 'arm', dataset: 'tiny', repeatCount: 2 },
    trialRun: (number, parameters) => runOf(`${number}: ${JSON.stringify(parameters)}`),
    repeats: (parameters) => [0, 1].map((seed) => runOf(`seed ${seed}: ${JSON.stringify(parameters)}`)),
  };
}

const rateOf = (id: string): number => Number(/:([\d.e-]+)\}/.exec(id)![1]);
const complete = (value: number): TrialOutcome => ({ state: 'complete', value, reports: [] });
const failed: TrialOutcome = { state: 'failed', value: null, reports: [], error: 'LOSS_NOT_FINITE: NaN' };

/** Runs whatever is open, in the order in which the search asks for it. */
function runThrough(search: PlannedSearch, outcome: (id: string) => TrialOutcome) {
  const known = new Map<string, TrialOutcome>();
  const asked: string[][] = [];
  for (;;) {
    const state = replaySearch(search, (id) => known.get(id));
    const open = state.runs.filter(({ id }) => !id.startsWith('seed') && !known.has(id));
    if (open.length === 0) return { state, asked, known };
    asked.push(open.map(({ id }) => id));
    for (const { id } of open) known.set(id, outcome(id));
  }
}

/** Best where the rate is 1e-3. */
const score = (id: string): TrialOutcome => complete(-Math.abs(Math.log10(rateOf(id)) + 3));

describe('a search, replayed from what came of its trials', () => {
  it('asks for one trial after another where each hangs on those before, then repeats the best setting', () => {
    const search = searchWith({ trialCount: 14 });
    const start = replaySearch(search, () => undefined);
    expect([start.runs.length, start.toCome, start.best]).toEqual([1, 13 + 2, undefined]);
    const { state, asked } = runThrough(search, score);
    expect(asked.map(({ length }) => length)).toEqual(Array(14).fill(1));
    const best = Math.max(...state.trials.map(({ value }) => value!));
    expect(state.best!.value).toBe(best);
    expect(state.runs.slice(14).map(({ id }) => rateOf(id))).toEqual(
      Array(2).fill(state.best!.parameters.learningRate),
    );
    expect(state.toCome).toBe(0);
  });

  it('goes on after any stop with what it would have tried', () => {
    const search = searchWith({ trialCount: 13 });
    const whole = runThrough(search, score);
    for (const stop of [0, 5, 11]) {
      const kept = new Set(whole.asked.slice(0, stop).flat());
      const { runs } = replaySearch(search, (id) => (kept.has(id) ? whole.known.get(id) : undefined));
      expect(runs.at(-1)!.id).toBe(whole.asked[stop]![0]);
    }
  });

  it('asks for all at once where trials do not hang on each other', () => {
    const { asked } = runThrough(searchWith({ sampler: 'random' }), score);
    expect(asked.map(({ length }) => length)).toEqual([4]);
    expect(new Set(asked[0]).size).toBe(4);
    const pruned = runThrough(searchWith({ sampler: 'random', pruner: 'median' }), score);
    expect(pruned.asked.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    // the same places, pruned or not
    expect(pruned.asked.flat()).toEqual(asked[0]);
  });

  it('tells a trial that may be pruned of those before it', () => {
    const { state } = runThrough(searchWith({ pruner: 'median' }), score);
    expect(state.runs[3]!.trial).toMatchObject({ pruner: 'median', direction: 'maximize' });
    expect(state.runs[3]!.trial!.earlier.map(({ number }) => number)).toEqual([0, 1, 2]);
  });

  it.each(['tpe', 'random'] as const)('makes up for a trial that fails (%s)', (sampler) => {
    const { state } = runThrough(searchWith({ sampler }), (id) => (id.startsWith('1:') ? failed : score(id)));
    expect(state.trials.map((trial) => trial.state)).toEqual([
      ...['complete', 'failed', 'complete', 'complete', 'complete'],
    ]);
    expect(state.best).toBeDefined();
  });

  it('passes over a place of a grid that fails, and stops where nothing works', () => {
    const space = { learningRate: { kind: 'categorical', choices: [0.5, 0.05, 0.005] } } as const;
    const grid = searchWith({ sampler: 'grid', space, trialCount: 3 });
    const { state } = runThrough(grid, (id) => (id.startsWith('0:') ? failed : score(id)));
    expect(state.trials.map(({ parameters }) => parameters.learningRate)).toEqual([0.5, 0.05, 0.005]);
    expect(state.best!.parameters.learningRate).toBe(0.005);
    const hopeless = runThrough(searchWith(), () => failed);
    expect(hopeless.state).toMatchObject({ isHopeless: true, toCome: 0, best: undefined });
    expect(hopeless.state.trials).toHaveLength(4);
  });

  it('takes memory and losses for the setting’s fault, and other errors for its surroundings’', () => {
    const error = (code: string) => ({ code, message: 'so', where: '', hint: '', exitCode: 1 });
    expect(outcomeOfFailure(error('LOSS_NOT_FINITE'))).toMatchObject({ state: 'failed' });
    expect(outcomeOfFailure(error('ENGINE_MEMORY'))).toMatchObject({ state: 'failed' });
    expect(outcomeOfFailure(error('WORKER_DIED'))).toBeUndefined();
  });
});

it('a failed trial is made up for once its search has gone on, and the last one of a hopeless search is not', () => {
  const trialRun = (id: string, number: number): PlannedRun => ({
    ...{ id, arm: `a, trial ${number + 1}` },
    definition: { trial: { search: 'mine', digest: 'd', number } } as PlannedRun['definition'],
  });
  const error = (code: string) => ({ code, message: '', where: '', hint: '', exitCode: 1 });
  const failures = new Map([
    ['t0', error('LOSS_NOT_FINITE')],
    ['t1', error('WORKER_DIED')], // to be tried again
    ['t2', error('OUT_OF_MEMORY')],
    ['other', error('LOSS_NOT_FINITE')], // no trial
  ]);
  const other: PlannedRun = { id: 'other', arm: 'b', definition: {} as PlannedRun['definition'] };
  const trials = ['t0', 't1', 't2'].map(trialRun);
  const unitOf = (id: string): string => (id === 'other' ? id : 't0');
  expect([...madeUpFor([...trials, other], failures, unitOf)]).toEqual(['t0']);
  const repeats = [...trials, trialRun('t3', 3)];
  expect([...madeUpFor(repeats, failures, unitOf)]).toEqual(['t0', 't2']);
});
