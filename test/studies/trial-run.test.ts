import { expect, it } from 'vitest';
import { prunerFor, trialResult } from '../../src/studies/trial-run.js';
import type { PlannedRun, TrialPruning } from '../../src/studies/study.js';
import type { TrainingOutcome } from '../../src/training/trainer.js';

const settings = {
  ...{ epochs: 4, validateEvery: 1, validationsPerEpoch: 1, validateUntrained: false },
  ...{ batchSize: 8, dropLast: false },
};
const earlier = [0.5, 0.6, 0.7, 0.8, 0.9].map((value, number) => ({
  ...{ number, state: 'complete' as const, parameters: {}, value },
  reports: [1, 2, 3].map((step) => ({ step, value: value - 0.1 / step })),
}));

function trialWith(pruning: Partial<TrialPruning> = {}): Pick<PlannedRun, 'trial' | 'definition'> {
  const trial: TrialPruning = { pruner: 'median', direction: 'maximize', earlier, ...pruning };
  return { trial, definition: { trial: { number: 5 } } as PlannedRun['definition'] };
}

it('ends a trial that is behind the others, and stays with that however often it is asked', () => {
  const isOver = prunerFor(trialWith(), settings, 40);
  expect([isOver([]), isOver([0.65]), isOver([0.55]), isOver([0.55, 0.95])]).toEqual([
    ...[false, false, true, true],
  ]);
  // a score that is undefined says nothing
  expect(isOver([null, 0.68])).toBe(false);
});

it('ends by the greater error where errors are compared', () => {
  const isOver = prunerFor(trialWith({ direction: 'minimize' }), settings, 40);
  expect([isOver([0.55]), isOver([0.65])]).toEqual([false, true]);
});

it('leaves runs alone that are no trials', () => {
  expect(prunerFor({ definition: {} as PlannedRun['definition'] }, settings, 40)([0])).toBe(false);
});

it('takes turns in as many brackets as the validations that there really are allow', () => {
  const long = [0.7, 0.8, 0.9].map((value, number) => ({
    ...earlier[number]!,
    number: 2 * number + 1,
    value,
  }));
  // trial 5 is of the second bracket of two, and of the third of three, which has no other trial
  const ended = (inputsPerEpoch: number) => {
    const trial = trialWith({ pruner: 'hyperband', earlier: long });
    const one = { ...settings, epochs: 1, validationsPerEpoch: 3 };
    return prunerFor(trial, one, inputsPerEpoch)([0.1, 0.1, 0.1]);
  };
  // 6 steps: three validations; 4 steps of 8 inputs: four; 5 · 8 + 1 inputs: 3; 5 steps: five
  expect([48, 32, 41, 40].map(ended)).toEqual([false, true, false, true]);
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
