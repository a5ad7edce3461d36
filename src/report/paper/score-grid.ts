import { formatNumber, MISSING } from '../../display/numbers.js';
import { isHigherBetter } from '../../results/main-score.js';
import { armSummary, seedScores, type Arm } from '../../statistics/arms.js';
import { pairedDifference } from '../../statistics/summary.js';
import {
  directionNote,
  evaluationName,
  mainQuery,
  runCount,
  scoreDecimals,
  type DatasetView,
} from '../view.js';

/** A number of a table for a paper. */
export interface ScoreCell {
  /** Rounded; `–` where there is none. */
  readonly mean: string;
  /** Half of its 95 % interval, rounded; null below two runs. */
  readonly halfWidth: string | null;
  /** The best mean of its column among learned arms; all that have the same digits. */
  readonly isBest: boolean;
  /** Not the best, but the interval of the difference from it, paired by seed, holds 0. */
  readonly isTied: boolean;
}

/** Scores of one dataset: an arm a row, a split a column. */
export interface ScoreGrid {
  readonly dataset: string;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly arm: string;
    readonly isTrivial: boolean;
    readonly cells: readonly ScoreCell[];
  }[];
}

/** Main scores as a paper prints them: a table each dataset; of several, first one of all on their first splits. */
export function scoreGrids(views: readonly DatasetView[]): ScoreGrid[] {
  const grids = views.map(scoreGrid);
  return grids.length < 2 ? grids : [overviewGrid(views, grids), ...grids];
}

function overviewGrid(views: readonly DatasetView[], grids: readonly ScoreGrid[]): ScoreGrid {
  const rows = grids.flatMap((grid) => grid.rows);
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  const isTrivial = (arm: string): boolean => rows.find((row) => row.arm === arm)!.isTrivial;
  const metrics = views.map(({ metric }) => [metric, directionNote(metric)].filter(Boolean).join(', '));
  const columns = views.map(
    ({ dataset, splits }, at) => `${dataset} (${splits[0]?.name ?? '–'}, ${metrics[at]!})`,
  );
  return {
    dataset: 'all',
    caption: `All datasets: ${MARKS.interval}; ${MARKS.best}; ${MARKS.tied}.`,
    columns,
    rows: [...arms.filter((arm) => !isTrivial(arm)), ...arms.filter(isTrivial)].map((arm) => ({
      arm,
      isTrivial: isTrivial(arm),
      cells: grids.map((grid) => grid.rows.find((row) => row.arm === arm)?.cells[0] ?? NO_SCORE),
    })),
  };
}

const NO_SCORE: ScoreCell = { mean: MISSING, halfWidth: null, isBest: false, isTied: false };

const MARKS = {
  interval: '±: half the 95 % interval of the mean (Student’s t)',
  best: 'bold: best learned arm',
  tied: '=: not told apart from it (95 % interval of the difference, paired by seed, holds 0)',
};

/** Main scores of a dataset. */
export function scoreGrid(view: DatasetView): ScoreGrid {
  const decimals = scoreDecimals(view.records, view.metric);
  const columns = view.splits.map(({ name }) => columnCells(view, name, decimals));
  const cells = columns.flat();
  const intervals = cells.some(({ halfWidth }) => halfWidth !== null)
    ? MARKS.interval
    : 'one run an arm gives no interval';
  const details = [view.metric, directionNote(view.metric), evaluationName(view, view.evaluation)];
  const marks = [
    ...(cells.some(({ isBest }) => isBest) ? [MARKS.best] : []),
    ...(cells.some(({ isTied }) => isTied) ? [MARKS.tied] : []),
  ];
  return {
    dataset: view.dataset,
    caption: `${view.dataset}: ${details.filter(Boolean).join(', ')}; ${runCount(view.trained)}; ${[intervals, ...marks].join('; ')}.`,
    columns: view.splits.map(({ name }) => name),
    rows: view.arms.map((arm, row) => ({
      arm: arm.name,
      isTrivial: arm.isTrivial,
      cells: columns.map((column) => column[row]!),
    })),
  };
}

function columnCells(view: DatasetView, split: string, decimals: number): ScoreCell[] {
  const query = mainQuery(view, split);
  const sign = isHigherBetter(view.metric) ? 1 : -1;
  const summaries = view.arms.map((arm) => ({ arm, ...armSummary(arm, query) }));
  const learned = summaries.filter(({ arm, mean }) => !arm.isTrivial && mean !== null);
  const best = learned.toSorted((a, b) => sign * (b.mean! - a.mean!))[0];
  const digits = (value: number | null): string => formatNumber(value, decimals);
  const isTied = (arm: Arm): boolean => {
    const { interval } = pairedDifference(seedScores(best!.arm, query), seedScores(arm, query));
    return interval !== null && interval.low <= 0 && interval.high >= 0;
  };
  return summaries.map(({ arm, mean, halfWidth }) => {
    const isCompared = !arm.isTrivial && mean !== null && learned.length > 1;
    const isBest = isCompared && digits(mean) === digits(best!.mean);
    return {
      mean: digits(mean),
      halfWidth: halfWidth === null ? null : digits(halfWidth),
      isBest,
      isTied: isCompared && !isBest && isTied(arm),
    };
  });
}
