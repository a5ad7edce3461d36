import { formatCount } from '../display/numbers.js';
import { canonicalJson } from '../results/canonical-json.js';
import {
  evaluationsOf,
  isError,
  isHigherBetter,
  isOfImages,
  isOfObjects,
  mainScoreOf,
  ownEvaluation,
  taskOf,
  type Evaluation,
} from '../results/main-score.js';
import type { JsonValue, RunRecord } from '../results/run-record.js';
import type { ScoreQuery } from '../results/score-of.js';
import { bySplit, groupArms, INNER_SPLITS, type Arm } from '../statistics/arms.js';
import { counted } from './html.js';

/** Everything of one dataset that the report shows, in the order in which it shows it. */
export interface DatasetView {
  readonly dataset: string;
  readonly records: readonly RunRecord[];
  /** Learned arms first, trivial predictors last. */
  readonly arms: readonly Arm[];
  readonly trained: readonly Arm[];
  readonly trivial: readonly Arm[];
  /** The main score of the task. */
  readonly metric: string;
  /** By which all runs are compared; undefined where their protocols differ in it: then each by its own. */
  readonly evaluation: Evaluation | undefined;
  /** What to show side by side, `evaluation` first. */
  readonly evaluations: readonly (Evaluation | undefined)[];
  /** What a sample of a split is. */
  readonly sampleNoun: 'tile' | 'image';
  /** What a score counts: none of values. */
  readonly answerNoun: 'pixel' | 'image' | 'object' | undefined;
  /** The split that answers the question first, then the others. */
  readonly splits: readonly SplitView[];
}

export interface SplitView {
  readonly name: string;
  /** Places inside the split, without `all`. */
  readonly places: readonly string[];
  /** Samples that the runs counted; undefined where they differ or counted none. */
  readonly samples: number | undefined;
}

/** One view a dataset; datasets and arms in the order of their first record. */
export function datasetViews(records: readonly RunRecord[]): DatasetView[] {
  const datasets = [...new Set(records.map((record) => record.definition.dataset))];
  return datasets.map((dataset) => {
    const own = records.filter((record) => record.definition.dataset === dataset);
    const arms = groupArms(own).toSorted((a, b) => Number(a.isTrivial) - Number(b.isTrivial));
    const trained = arms.filter((arm) => !arm.isTrivial);
    const asked = new Set(
      (trained.length > 0 ? trained : arms).flatMap(({ runs }) => runs.map(ownEvaluation)),
    );
    const evaluation = asked.size === 1 ? [...asked][0] : undefined;
    const ofImages = isOfImages(own[0]!);
    return {
      dataset,
      records: own,
      arms,
      trained,
      trivial: arms.filter((arm) => arm.isTrivial),
      metric: mainScoreOf(own[0]!),
      evaluation,
      evaluations: [evaluation, ...evaluationsOf(own).filter((other) => !asked.has(other))],
      sampleNoun: evaluation === 'tiles' && !ofImages ? 'tile' : 'image',
      answerNoun: answerNounOf(own[0]!),
      splits: splitViews(own),
    };
  });
}

function answerNounOf(record: RunRecord): DatasetView['answerNoun'] {
  if (isOfImages(record)) return 'image';
  if (isOfObjects(record)) return 'object';
  return taskOf(record) === 'regression' ? undefined : 'pixel';
}

function splitViews(records: readonly RunRecord[]): SplitView[] {
  const places = new Map<string, Set<string>>();
  for (const { split, place } of records.flatMap((record) => record.scores)) {
    if (!places.has(split)) places.set(split, new Set());
    if (place !== 'all') places.get(split)!.add(place);
  }
  const outer = [...places].filter(([name]) => !INNER_SPLITS.includes(name));
  return (outer.length > 0 ? outer : [...places])
    .map(([name, names]) => {
      const counts = new Set(records.flatMap((record) => record.counts[name]?.samples ?? []));
      return { name, places: [...names], samples: counts.size === 1 ? [...counts][0] : undefined };
    })
    .toSorted((a, b) => bySplit(a.name, b.name));
}

/** `tiles`, `sliding window`; of tasks with one answer an image `images`. */
export function evaluationName(
  { records }: Pick<DatasetView, 'records'>,
  evaluation: Evaluation | undefined,
): string {
  if (isOfImages(records[0]!)) return 'images';
  return evaluation ? EVALUATION_NAMES[evaluation] : 'as each arm is evaluated';
}

const EVALUATION_NAMES: Readonly<Record<Evaluation, string>> = {
  tiles: 'tiles',
  whole: 'whole images',
  'sliding-window': 'sliding window',
  tiled: 'blended tiles',
};

export type MainQuery = ScoreQuery & { readonly metric: string };

/** The main score by the evaluation that all runs are compared by. */
export const mainQuery = (view: DatasetView, split: string): MainQuery => ({
  split,
  metric: view.metric,
  ...(view.evaluation && { evaluation: view.evaluation }),
});

/** Which way is better, for a score whose name does not say it. */
export const directionNote = (metric: string): string => (isHigherBetter(metric) ? '' : 'lower is better');

/** Significant digits of errors, which can be of any size. */
const ERROR_DIGITS = 4;
/** Decimals of shares and correlations. */
const SHARE_DECIMALS = 3;

/** Decimals that a score of a dataset is shown with: of errors, so many that a middling one has four digits. */
export function scoreDecimals(records: readonly RunRecord[], metric: string): number {
  if (!isError(metric)) return SHARE_DECIMALS;
  const sizes = records
    .flatMap(({ scores }) => scores)
    .flatMap((row) => (row.metric === metric && row.value ? Math.abs(row.value) : []))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const middle = sizes[Math.floor(sizes.length / 2)];
  if (middle === undefined) return SHARE_DECIMALS;
  return Math.min(12, Math.max(0, ERROR_DIGITS - 1 - Math.floor(Math.log10(middle))));
}

/** `encoderMode` → `encoder mode`, `normalization` → `normalisation`. */
export const settingName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('normalization', 'normalisation');

/** The value of a setting as a reader sees it: `none` alone says nothing in a sentence. */
export function settingText(name: string, value: JsonValue): string {
  if (name === 'normalization' && value === 'none') return 'no normalisation';
  return typeof value === 'string' ? value : canonicalJson(value);
}

/**
 * Pixels (of classifications images) with a truth in a place, from the supports of its classes; undefined where runs
 * differ or counted none, and for images with several labels.
 */
export function placeAnswers(view: DatasetView, split: string, place: string): number | undefined {
  const totals = new Set<number>();
  for (const record of view.records) {
    if (taskOf(record) === 'multilabel') return undefined;
    const evaluation = view.evaluation ?? ownEvaluation(record);
    const supports = record.scores.filter(
      (row) =>
        row.metric === 'support' &&
        row.split === split &&
        row.place === place &&
        row.evaluation === evaluation,
    );
    if (supports.length > 0) totals.add(supports.reduce((sum, { value }) => sum + (value ?? 0), 0));
  }
  return totals.size === 1 ? [...totals][0] : undefined;
}

/** `12 px`, `12 images`, `12 objects`. */
export const answerText = ({ answerNoun }: Pick<DatasetView, 'answerNoun'>, count: number): string =>
  answerNoun === 'image' || answerNoun === 'object' ? counted(count, answerNoun) : `${formatCount(count)} px`;

/** A setting that is the same number in all learned arms; undefined where it is not. */
export function commonNumber(view: DatasetView, name: string): number | undefined {
  const values = new Set(view.trained.map((arm) => arm.settings[name]));
  const [value] = values;
  return values.size === 1 && typeof value === 'number' ? value : undefined;
}

/** How many runs of how many arms and seeds stand behind numbers, e.g. `15 runs (5 arms × 3 seeds)`. */
export function runCount(arms: readonly Arm[]): string {
  const runs = arms.reduce((sum, arm) => sum + arm.runs.length, 0);
  const sizes = new Set(arms.map((arm) => arm.runs.length));
  const noun = runs === 1 ? 'run' : 'runs';
  if (arms.length < 2 || sizes.size !== 1)
    return `${runs} ${noun} of ${arms.length === 1 ? 'one arm' : `${arms.length} arms`}`;
  const each = [...sizes][0]!;
  return each === 1 ? `${runs} ${noun}, one an arm` : `${runs} ${noun} (${arms.length} arms × ${each} seeds)`;
}
