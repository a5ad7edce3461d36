import { lossOfTask } from '../losses/loss-of-task.js';
import { isImageTask, isObjectTask } from '../manifests/answer-task.js';
import type { Task } from '../manifests/dataset-manifest.js';
import { mainScore, scoreKinds, type ScoreKind, type ScoreName } from '../metrics/score-kinds.js';
import type { RunDefinition, RunRecord, ScoreRow } from './run-record.js';

export type Evaluation = ScoreRow['evaluation'];

/** Of a run's dataset; records of earlier versions, which do not say it, are segmentations. */
export const taskOf = ({ task }: Pick<RunRecord, 'task'>): Task =>
  task !== undefined && Object.hasOwn(mainScore, task) ? (task as Task) : 'segmentation';

/** The score that a run is judged by: that of its dataset's task. */
export const mainScoreOf = (record: Pick<RunRecord, 'task'>): ScoreName => mainScore[taskOf(record)];

/** Whether every image has one answer, not every pixel. */
export const isOfImages = (record: Pick<RunRecord, 'task'>): boolean => isImageTask(taskOf(record));

/** Whether truth and prediction are lists of objects. */
export const isOfObjects = (record: Pick<RunRecord, 'task'>): boolean => isObjectTask(taskOf(record));

/** The name of a score as records have it, of one in any case, with or without `test_` before it; undefined if not known. */
export const scoreNamed = (text: string): ScoreName | undefined =>
  NAMES.get(
    text
      .trim()
      .toLowerCase()
      .replace(/^(test[_/ ])+/, ''),
  );

/** By names in lower case; the long ones are those of torchmetrics, `boxAP` and `maskAP` those of GEO-Bench-2's tables. */
const NAMES: ReadonlyMap<string, ScoreName> = new Map([
  ...(Object.keys(scoreKinds) as ScoreName[]).map((name) => [name.toLowerCase(), name] as const),
  ['mean_squared_error', 'MSE'],
  ['mean_absolute_error', 'MAE'],
  ['root_mean_squared_error', 'RMSE'],
  ['map_50', 'AP50'],
  ['map_75', 'AP75'],
  ['segm_map', 'mAP'],
  ['boxap', 'mAP'],
  ['maskap', 'mAP'],
]);

const kindOf = (score: string): ScoreKind | undefined => {
  const name = scoreNamed(score);
  return name && scoreKinds[name];
};

/** Whether a greater value of a score is better; scores that are not known count as such. */
export const isHigherBetter = (score: string): boolean => kindOf(score)?.isHigherBetter ?? true;

/** Whether a score is an error in the unit of the target (or its square), 0 … ∞, not a share or a correlation. */
export const isError = (score: string): boolean =>
  kindOf(score)?.isHigherBetter === false && kindOf(score)!.tasks.includes('regression');

/** What `validationScore` of a run's epochs is, e.g. `RMSE`, or `loss`. */
export function validationScoreOf({
  task,
  definition,
}: Pick<RunRecord, 'task'> & { readonly definition: Pick<RunDefinition, 'settings'> }): string {
  const { selectBy } = definition.settings;
  return typeof selectBy === 'string' && selectBy !== 'auto' ? selectBy : mainScoreOf({ task });
}

/** Name of the loss that a run was trained by. */
export function lossOf({ task, definition }: Pick<RunRecord, 'task' | 'definition'>): string {
  const { loss } = definition.settings;
  if (typeof loss === 'string' && loss !== 'auto') return loss;
  const own = taskOf({ task });
  return isObjectTask(own) ? "sum of the detector's losses" : lossOfTask[own];
}

/** Ways of evaluation that records have, the protocol's own first. */
export function evaluationsOf(records: readonly Pick<RunRecord, 'scores'>[]): Evaluation[] {
  const found = new Set(records.flatMap(({ scores }) => scores.map(({ evaluation }) => evaluation)));
  return EVALUATIONS.filter((evaluation) => found.has(evaluation));
}

const EVALUATIONS = ['tiles', 'whole', 'sliding-window', 'tiled'] as const satisfies Evaluation[];

/** The evaluation that a run's protocol asks for; without one, the first that it has. */
export function ownEvaluation({
  scores,
  definition,
}: Pick<RunRecord, 'scores'> & { readonly definition: Pick<RunDefinition, 'settings'> }): Evaluation {
  const { evaluation } = definition.settings;
  const has = (name: unknown): boolean => scores.some((row) => row.evaluation === name);
  return has(evaluation) ? (evaluation as Evaluation) : (EVALUATIONS.find(has) ?? 'tiles');
}
