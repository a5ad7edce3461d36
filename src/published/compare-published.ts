import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { findPublishedTable } from '../manifests/published-manifest.js';
import type { RunRecord } from '../results/run-record.js';
import { meanInterval } from '../statistics/summary.js';
import { comparisonSheet } from './comparison-sheet.js';
import { differences, ownPlace, type Differences } from './comparability.js';
import { armScores, ownArms, type OwnArm } from './own-arms.js';
import { publishedCells, type PublishedCell } from './published-cells.js';

/** A published score beside a user's runs, or one of both alone; why they are not comparable where they are not. */
export interface PublishedComparison {
  readonly dataset: string;
  readonly encoder: string;
  readonly metric: string;
  /** null: the mean over classes. */
  readonly class: string | null;
  /** What the table states of the row, by the names of runs' settings. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** In `unit`; null where the table has no such row. */
  readonly published: number | null;
  readonly publishedRuns: number;
  readonly publishedDeviation: number | null;
  readonly unit: string;
  /** Name of the user's arm; null where no run is of this encoder and dataset. */
  readonly arm: string | null;
  /** Runs of the arm that have the score. */
  readonly runs: number;
  /** Mean over the arm's runs, in `unit`; null where the row is not comparable. */
  readonly own: number | null;
  /** Half of its 95 % interval (Student's t); null below two runs. */
  readonly halfWidth: number | null;
  /** Own less published, in `unit`. */
  readonly difference: number | null;
  readonly isComparable: boolean;
  /** Empty where it is comparable. */
  readonly reasons: readonly string[];
}

/**
 * A user's runs beside a paper's table, like with like only. Every row of the table is in the result: beside each arm that
 * is comparable, else beside the arm that differs least from it, with all that differs. Arms beside which no row stands come
 * last, with what they differ by from the nearest.
 * @throws InputError TABLE_UNKNOWN, TABLE_WITHOUT_SCORES
 */
export function compareWithPublished(
  records: readonly RunRecord[],
  table: string,
): readonly PublishedComparison[] {
  const { paper, table: manifest } = findPublishedTable(table);
  const arms = ownArms(records);
  const shown = new Set<OwnArm>();
  const cells = publishedCells(table).map((cell) => {
    const candidates = arms
      .filter((arm) => isOf(arm, cell))
      .map((arm) => ({ arm, ...differences(cell, arm, paper) }))
      .sort((a, b) => a.count - b.count);
    return { cell, candidates };
  });
  const rows = cells.flatMap(({ cell, candidates }) => {
    const like = candidates.filter(({ reasons }) => reasons.length === 0);
    for (const { arm } of like.length > 0 ? like : candidates.slice(0, 1)) shown.add(arm);
    return like.length > 0
      ? like.map(({ arm }) => compared(cell, arm))
      : [notCompared(cell, candidates[0], arms)];
  });
  const alone = arms.filter((arm) => !shown.has(arm));
  const all = [...rows, ...alone.map((arm) => withoutRow(arm, leastReasons(arm, cells), manifest.place))];
  return showAs<readonly PublishedComparison[]>(all, {
    bundle: () => sheetBundle(comparisonSheet(all, table)),
  });
}

const isOf = ({ records }: OwnArm, { dataset, encoder }: PublishedCell): boolean =>
  records[0]!.definition.dataset === dataset && records[0]!.definition.encoder === encoder;

interface Candidate extends Differences {
  readonly arm: OwnArm;
}

/** What an arm differs by from the row that is nearest to it; undefined where there is none of its encoder and dataset. */
const leastReasons = (
  wanted: OwnArm,
  cells: readonly { readonly candidates: readonly Candidate[] }[],
): readonly string[] | undefined =>
  cells
    .flatMap(({ candidates }) => candidates.filter(({ arm }) => arm === wanted))
    .sort((a, b) => a.count - b.count)[0]?.reasons;

const base = (cell: PublishedCell) => ({
  dataset: cell.dataset,
  encoder: cell.encoder,
  metric: cell.metric,
  class: cell.class,
  settings: cell.settings,
  published: cell.value,
  publishedRuns: cell.runs,
  publishedDeviation: cell.standardDeviation,
  unit: cell.unit,
});

function compared(cell: PublishedCell, arm: OwnArm): PublishedComparison {
  const scale = cell.unit === '%' ? 100 : 1;
  const own = meanInterval(armScores(arm, ownPlace(cell)).map((score) => score * scale));
  return {
    ...base(cell),
    arm: arm.name,
    runs: own.count,
    own: own.mean,
    halfWidth: own.halfWidth,
    difference: own.mean! - cell.value,
    isComparable: true,
    reasons: [],
  };
}

function notCompared(
  cell: PublishedCell,
  nearest: Candidate | undefined,
  arms: readonly OwnArm[],
): PublishedComparison {
  const hasDataset = arms.some(({ records }) => records[0]!.definition.dataset === cell.dataset);
  const absent = hasDataset ? `no run of ${cell.encoder} on ${cell.dataset}` : `no run on ${cell.dataset}`;
  return {
    ...base(cell),
    arm: nearest?.arm.name ?? null,
    runs: nearest?.arm.records.length ?? 0,
    own: null,
    halfWidth: null,
    difference: null,
    isComparable: false,
    reasons: nearest?.reasons ?? [absent],
  };
}

function withoutRow(arm: OwnArm, reasons: readonly string[] | undefined, place: string): PublishedComparison {
  const { dataset, encoder } = arm.records[0]!.definition;
  return {
    dataset,
    encoder,
    metric: '',
    class: null,
    settings: {},
    published: null,
    publishedRuns: 0,
    publishedDeviation: null,
    unit: '',
    arm: arm.name,
    runs: arm.records.length,
    own: null,
    halfWidth: null,
    difference: null,
    isComparable: false,
    reasons: reasons ?? [`${place} has no row of ${encoder} on ${dataset}`],
  };
}
