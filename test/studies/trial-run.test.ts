import { expect, it } from 'vitest';
import { prunerFor, trialResult } from '../../src/studies/trial-run.js';
import type { PlannedRun, TrialPruning } from '../../src/studies/study.js';
import type { TrainingOutcome } from '../../src/training/trainer.js';

const settings = { epochs: 4, validateEvery: 1, validationsPerEpoch: 1 };
const earlier = [0.5, 0.6, 0.7, 0.8, 0.9].map((value, number) => ({
  ...{ number, state: 'complete' as const, parameters: {}, value },
  reports: [1, 2, 3].map((step) => ({ step, value: value - 0.1 / step })),
}));

function trialWith(pruning: Partial<TrialPruning> = {}): Pick<PlannedRun, 'trial' | 'definition'> {
  const trial: TrialPruning = { pruner: 'median', direction: 'maximize', earlier, ...pruning };
  return { trial, definition: { trial: { number: 5 } } as PlannedRun['definition'] };
}

it('ends a trial that is behind the others, and stays with that however often it is asked', () => {
  const isOver = prunerFor(trialWith(), settings);
  expect([isOver([]), isOver([0.65]), isOver([0.55]), isOver([0.55, 0.95])]).toEqual([
    ...[false, false, true, true],
  ]);
  // a score that is undefined says nothing
  expect(isOver([null, 0.68])).toBe(false);
});

it('ends by the greater error where errors are compared', () => {
  const isOver = prunerFor(trialWith({ direction: 'minimize' }), settings);
  expect([isOver([0.55]), isOver([0.65])]).toEqual([false, true]);
});

it('leaves runs alone that are no trials', () => {
  expect(prunerFor({ definition: {} as PlannedRun['definition'] }, settings)([0])).toBe(false);
});

it('keeps the reports of a trial, and its best score unless it was pruned', () => {
  const outcome = { scores: [0.2, null, 0.4, Number.NaN], bestScore: 0.4 } as unknown as TrainingOutcome;
  const reports = [
    { step: 1, value: 0.2 },
    { step: 3, value: 0.4 },
  ];
  expect(trialResult(outcome, false)).toEqual({ state: 'complete', value: 0.4, reports });
  expect(trialResult(outcome, true)).toEqual({ state: 'pruned', value: null, reports });
});
