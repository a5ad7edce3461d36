import type { TrialResult } from '../results/run-record.js';
import { pruners } from '../training/search/registry.js';
import type { TrialReport } from '../training/search/trial.js';
import type { TrainingOutcome } from '../training/trainer.js';
import { validationCount } from '../training/validation-count.js';
import type { PlannedRun } from './study.js';

type Scores = readonly (number | null)[];

/**
 * Whether a trial is to end after these validation scores. It hangs on them and on the trials before alone, so that a
 * trial which goes on from a kept state ends where it would have.
 * @param inputsPerEpoch of its training split
 */
export function prunerFor(
  { trial, definition }: Pick<PlannedRun, 'trial' | 'definition'>,
  settings: Parameters<typeof validationCount>[0],
  inputsPerEpoch: number,
): (scores: Scores) => boolean {
  if (!trial) return () => false;
  const { number } = definition.trial!;
  const maximumSteps = validationCount(settings, inputsPerEpoch);
  const prune = trial.pruner === 'median' ? pruners.median() : pruners.hyperband({ maximumSteps });
  const told = { trials: trial.earlier, direction: trial.direction };
  return (scores) => {
    const reports = reportsOf(scores);
    return reports.some((_, at) => prune({ number, reports: reports.slice(0, at + 1) }, told));
  };
}

/** What a record says of a trial. */
export function trialResult({ scores, bestScore }: TrainingOutcome, isPruned: boolean): TrialResult {
  return {
    state: isPruned ? 'pruned' : 'complete',
    value: isPruned || bestScore === null || !Number.isFinite(bestScore) ? null : bestScore,
    reports: reportsOf(scores),
  };
}

const reportsOf = (scores: Scores): TrialReport[] =>
  scores.flatMap((value, index) =>
    value === null || !Number.isFinite(value) ? [] : [{ step: index + 1, value }],
  );
