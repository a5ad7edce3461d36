import { canonicalJson } from '../results/canonical-json.js';
import type { JsonValue, RunRecord, ScoreRow } from '../results/run-record.js';
import { groupArms, type Arm } from '../statistics/arms.js';
import { evaluationsOf, mainScoreOf } from '../statistics/main-score.js';

export type Evaluation = ScoreRow['evaluation'];

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
  readonly evaluations: readonly Evaluation[];
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

/** Splits that chose weights or trained them answer no question. */
const INNER_SPLITS = ['train', 'validation', 'val', 'valid'];

/** One view a dataset; datasets and arms in the order of their first record. */
export function datasetViews(records: readonly RunRecord[]): DatasetView[] {
  const datasets = [...new Set(records.map((record) => record.definition.dataset))];
  return datasets.map((dataset) => {
    const own = records.filter((record) => record.definition.dataset === dataset);
    const arms = groupArms(own).toSorted((a, b) => Number(a.isTrivial) - Number(b.isTrivial));
    return {
      dataset,
      records: own,
      arms,
      trained: arms.filter((arm) => !arm.isTrivial),
      trivial: arms.filter((arm) => arm.isTrivial),
      metric: mainScoreOf(own[0]!),
      evaluations: evaluationsOf(own),
      splits: splitViews(own),
    };
  });
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
    .toSorted((a, b) => Number(b.name === 'test') - Number(a.name === 'test'));
}

/** `tiles`, `sliding window`. */
export const evaluationName = (evaluation: Evaluation): string => evaluation.replace('-', ' ');

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

/** Pixels with a truth in a place, from the supports of its classes; undefined where runs differ or counted none. */
export function placePixels(view: DatasetView, split: string, place: string): number | undefined {
  const evaluation = view.evaluations[0] ?? 'tiles';
  const totals = new Set<number>();
  for (const { scores } of view.records) {
    const supports = scores.filter(
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
