import type { Dataset } from '../datasets/dataset.js';
import type { SplitEvaluation } from '../evaluation/split-scores.js';
import { InputError, nearest, UsageError } from '../errors.js';
import { inverseShareWeights } from '../losses/class-weights.js';
import { createLoss, type LossName } from '../losses/create-loss.js';
import type { Loss } from '../losses/loss.js';
import { lossOfTask } from '../losses/loss-of-task.js';
import type { AnswerTask, ObjectTask } from '../manifests/answer-task.js';
import { createMetric } from '../metrics/create-metric.js';
import type { Metric } from '../metrics/metric.js';
import { objectMetric, type ObjectMetric } from '../metrics/object-metric.js';
import { mainScore, scoreKinds, type ScoreName } from '../metrics/score-kinds.js';
import type { Mode, RunDefinition } from '../results/run-record.js';
import { numbersOf } from '../training/answer.js';
import type { TrainedTask } from '../training/task.js';
import type { PreparedRun } from './prepare-run.js';
import type { Session } from './session.js';

/** Faults of losses that mode `as-published` switches on. */
export const LOSS_FAULTS = { 'dice-ignored-pixels': true, 'rmse-root-twice': true };

/**
 * The loss that a run is trained by.
 * @throws UsageError LOSS_UNKNOWN, LOSS_OPTION
 */
export async function lossFor(
  { mode, faults = {} }: Pick<RunDefinition, 'mode' | 'faults'>,
  { settings, task, feed, dataset }: PreparedRun & { readonly task: AnswerTask },
  { breathe }: Pick<Session, 'breathe'>,
): Promise<Loss> {
  const name = settings.loss === 'auto' ? lossOfTask[task] : (settings.loss as LossName);
  const { labels, classes } = dataset.manifest;
  const given = { ...(mode === 'as-published' ? LOSS_FAULTS : {}), ...faults };
  const base = { name, task, ignoreIndex: labels.ignoreIndex, faults: given };
  if (settings.classWeights === 'none') return createLoss(base);
  const counts = new Float64Array(classes.length);
  for (const item of await feed.trainingItems()) {
    const { answer } = await feed.read(item);
    for (const label of numbersOf(answer).data)
      if (label !== labels.ignoreIndex && label >= 0) counts[label]! += 1;
    await breathe();
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return createLoss({
    ...base,
    classWeights: inverseShareWeights([...counts].map((count) => count / total)),
  });
}

/** Counts of a split of this dataset. */
export const metricFor = ({ manifest }: Pick<Dataset, 'manifest'>, task: AnswerTask, mode: Mode): Metric =>
  createMetric(task, {
    ...(task !== 'regression' && { classCount: manifest.classes.length }),
    // of values, what does not count is masked
    ignoreIndex: task === 'regression' ? null : manifest.labels.ignoreIndex,
    mode,
    evaluator: manifest.benchmark === 'pangaea' || manifest.benchmark === null ? 'pangaea' : 'torchmetrics',
  });

/** The same of objects. */
export const objectMetricFor = (
  { manifest }: Pick<Dataset, 'manifest'>,
  task: ObjectTask,
  mode: Mode,
): ObjectMetric => objectMetric({ task, classCount: manifest.classes.length, mode });

/** A detector brings its losses. @throws UsageError LOSS_OPTION where another is asked for */
export function refuseOwnLoss(
  { loss, classWeights }: Pick<PreparedRun['settings'], 'loss' | 'classWeights'>,
  task: ObjectTask,
): void {
  if (loss === 'auto' && classWeights === 'none') return;
  const given = loss === 'auto' ? `classWeights ${classWeights}` : `The loss ${loss}`;
  throw new UsageError('LOSS_OPTION', `${given} is none of ${task}.`, {
    hint: 'Detectors bring losses of their own: leave loss "auto" and classWeights "none".',
  });
}

/** By what the best epoch is chosen. */
export interface Selection {
  /** e.g. `RMSE`, or `loss`. */
  readonly name: string;
  readonly isHigherBetter: boolean;
  /** Whether the loss on the validation split is asked for. */
  readonly needsLoss: boolean;
  readonly scoreOf: (evaluation: SplitEvaluation) => number | null;
}

/** @throws InputError SETTING_INVALID for a score that the task has not */
export function selectionOf({ settings, task }: Pick<PreparedRun, 'settings' | 'task'>): Selection {
  const { selectBy, stopBy, patience } = settings;
  const needsLoss = selectBy === 'loss' || (stopBy === 'loss' && patience !== null);
  if (selectBy === 'loss') {
    return { name: selectBy, isHigherBetter: false, needsLoss, scoreOf: ({ loss }) => loss };
  }
  const name = selectBy === 'auto' ? mainScore[task] : selectBy;
  const known = Object.keys(scoreKinds).filter((one) =>
    (scoreKinds[one as ScoreName].tasks as readonly TrainedTask[]).includes(task),
  );
  if (!known.includes(name)) {
    const guess = nearest(name, known);
    throw new InputError('SETTING_INVALID', `selectBy cannot be "${name}": ${task} has no such score.`, {
      where: 'settings of the study',
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: auto, loss, ${known.join(', ')}.`,
    });
  }
  return {
    name,
    isHigherBetter: scoreKinds[name as ScoreName].isHigherBetter,
    needsLoss,
    scoreOf: ({ total }) => total.scores()[name] ?? null,
  };
}
