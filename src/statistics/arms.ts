import { groupBy } from '../collections.js';
import { canonicalJson } from '../results/canonical-json.js';
import { mainScoreOf, ownEvaluation } from '../results/main-score.js';
import {
  isTrial,
  type JsonValue,
  type Mode,
  type RunDefinition,
  type RunRecord,
  type ScoreRow,
  type Settings,
} from '../results/run-record.js';
import { scoreOf, type ScoreQuery } from '../results/score-of.js';
import { isMissing, mean, meanInterval, type MeanInterval, type SeedScore } from './summary.js';

/** The runs of one dataset that differ in nothing but their seed. */
export interface Arm {
  /** Short name, unique among the arms of the dataset. */
  readonly name: string;
  readonly dataset: string;
  readonly encoder: string;
  readonly decoder: string;
  readonly mode: Mode;
  readonly settings: Settings;
  /** True for a predictor that draws and learns nothing. */
  readonly isTrivial: boolean;
  /** In rising order of their seeds. */
  readonly runs: readonly RunRecord[];
}

/**
 * Groups records by arm, datasets and arms in the order of their first record.
 * Trials of searches are left out: they are no repeats. Two arms of one name (another protocol, another encoder) stay apart and are told apart in their names.
 */
export function groupArms(records: readonly RunRecord[]): Arm[] {
  const groups = groupBy(repeatsOf(records), (record) =>
    canonicalJson([record.definition.dataset, record.arm, withoutSeed(record.definition)]),
  );
  const arms = [...groups.values()].map((runs): Arm => {
    const { dataset, encoder, decoder, mode, settings, seed } = runs[0]!.definition;
    const bySeed = runs.toSorted((a, b) => (a.definition.seed ?? -1) - (b.definition.seed ?? -1));
    return {
      name: runs[0]!.arm,
      dataset,
      encoder,
      decoder,
      mode,
      settings,
      isTrivial: seed === null,
      runs: bySeed,
    };
  });
  return arms.map((arm) => ({ ...arm, name: uniqueName(arm, arms) }));
}

/** Without trials of searches. */
export const repeatsOf = (records: readonly RunRecord[]): RunRecord[] =>
  records.filter((record) => !isTrial(record));

const withoutSeed = ({ seed: _seed, ...rest }: RunDefinition): JsonValue => rest as unknown as JsonValue;

function uniqueName(arm: Arm, arms: readonly Arm[]): string {
  const rivals = arms.filter((other) => other.dataset === arm.dataset && other.name === arm.name);
  if (rivals.length === 1) return arm.name;
  const parts = [arm.name];
  if (new Set(rivals.map((rival) => rival.encoder)).size > 1) parts.push(arm.encoder);
  if (new Set(rivals.map((rival) => rival.decoder)).size > 1) parts.push(arm.decoder);
  if (new Set(rivals.map((rival) => rival.mode)).size > 1) parts.push(arm.mode);
  const alike = rivals.filter(
    ({ encoder, decoder, mode }) => encoder === arm.encoder && decoder === arm.decoder && mode === arm.mode,
  );
  if (alike.length > 1) parts.push(`variant ${alike.indexOf(arm) + 1}`);
  return parts.join(' · ');
}

/** The asked number of every seeded run of an arm. */
export function seedScores(arm: Arm, query: ScoreQuery): SeedScore[] {
  return arm.runs
    .filter((run) => run.definition.seed !== null)
    .map((run) => ({ seed: run.definition.seed!, value: scoreOf(run, query) }));
}

/** Mean and interval of the asked number over an arm's runs. */
export const armSummary = (
  arm: Arm,
  query: ScoreQuery,
  options: { readonly level?: number } = {},
): MeanInterval =>
  meanInterval(
    arm.runs.map((run) => scoreOf(run, query)),
    options,
  );

/**
 * Mean over places, each with the same weight, of the asked number: first in each run, then over the arm's
 * runs. A run that lacks one of the places is missing.
 */
export const armPlaceSummary = (
  arm: Arm,
  query: ScoreQuery,
  places: readonly string[],
  options: { readonly level?: number } = {},
): MeanInterval =>
  meanInterval(
    arm.runs.map((run) => {
      const scores = places.map((place) => scoreOf(run, { ...query, place }));
      return scores.some(isMissing) ? null : mean(scores);
    }),
    options,
  );

export interface SummaryOptions {
  /** Default: the main score of each dataset's task. */
  readonly metric?: string;
  /** Default: the one that each run's protocol asks for. */
  readonly evaluation?: ScoreRow['evaluation'];
  /** A column for each place of a split too; default false. */
  readonly places?: boolean;
}

/** Splits by which runs were trained or chosen: named last. */
export const INNER_SPLITS: readonly string[] = ['train', 'validation', 'val', 'valid'];

/** `test` first, then other splits that were held out, then those by which runs were trained or chosen. */
export function bySplit(a: string, b: string): number {
  const rank = (split: string): number => (split === 'test' ? 0 : INNER_SPLITS.includes(split) ? 2 : 1);
  return rank(a) - rank(b);
}

/**
 * One row an arm for a table in a terminal or a cell: dataset, arm, runs, and for each split the mean and
 * half the width of its 95 % interval (`±`, null with one seed). Where the datasets have several metrics,
 * `±` names its metric too.
 */
export function summaryRows(
  records: readonly RunRecord[],
  options: SummaryOptions = {},
): Record<string, unknown>[] {
  const metricOf = (record: RunRecord): string => options.metric ?? mainScoreOf(record);
  const repeats = repeatsOf(records);
  const metrics = [...new Set(repeats.map(metricOf))];
  const columns = metrics.flatMap((metric) =>
    scoredPlaces(
      repeats.filter((record) => metricOf(record) === metric),
      metric,
      options,
    ).map(({ split, place }) => {
      const name = place === 'all' ? split : `${split}, ${place}`;
      return {
        query: { split, place, metric, ...(options.evaluation && { evaluation: options.evaluation }) },
        mean: `${metric} ${name}`,
        halfWidth: metrics.length > 1 ? `± ${metric} ${name}` : `± ${name}`,
      };
    }),
  );
  return groupArms(repeats).flatMap((arm) => {
    const own = columns.filter(({ query }) => query.metric === metricOf(arm.runs[0]!));
    const summaries = own.map((column) => ({ ...column, summary: armSummary(arm, column.query) }));
    const isScored = summaries.some(({ summary }) => summary.count > 0);
    if (!isScored && columns.length > 0) return [];
    const cells = summaries.flatMap(({ mean: name, halfWidth, summary }) => [
      [name, summary.mean] as const,
      [halfWidth, summary.halfWidth] as const,
    ]);
    return [{ dataset: arm.dataset, arm: arm.name, runs: arm.runs.length, ...Object.fromEntries(cells) }];
  });
}

/** Splits, and places in them, of which records hold a score, in the order of `bySplit`. */
function scoredPlaces(
  records: readonly RunRecord[],
  metric: string,
  { evaluation, places = false }: SummaryOptions,
): Pick<ScoreRow, 'split' | 'place'>[] {
  const found = new Map<string, ScoreRow>();
  for (const record of records) {
    const wanted = evaluation ?? ownEvaluation(record);
    for (const row of record.scores) {
      if (row.metric !== metric || row.evaluation !== wanted || row.className !== null) continue;
      if (places || row.place === 'all') found.set(JSON.stringify([row.split, row.place]), row);
    }
  }
  return [...found.values()].toSorted((a, b) => bySplit(a.split, b.split));
}
