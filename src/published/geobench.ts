import type { RunScore } from '../results/run-score.js';
import { bootstrap } from '../statistics/bootstrap.js';
import type { Draws } from '../statistics/draws.js';
import { normalize, scaleLimits, type ScaleLimits } from '../statistics/normalize.js';
import { summarizeResamples, type ResampleSummary } from '../statistics/resample-summary.js';
import { scoreMatrix, selectDatasets, type ScoreMatrix } from '../statistics/score-matrix.js';
import { publishedRows } from './published-rows.js';

const RUNS = 'geobench-segmentation-runs';

/** Training fractions of the released runs, rising. */
export const geobenchFractions = (): number[] =>
  [...new Set(publishedRows(RUNS).map(({ labelFraction }) => Number(labelFraction)))].sort((a, b) => a - b);

/**
 * Released runs of GEO-Bench's segmentation at one training fraction. In 104 cells seeds come twice with other scores;
 * all rows count, as in the paper, so that runs carry no seed here.
 */
export function geobenchSegmentation(labelFraction: number): ScoreMatrix {
  const rows = publishedRows(RUNS).filter((row) => row.labelFraction === labelFraction);
  const runs: RunScore[] = rows.map((row) => ({
    model: String(row.encoder),
    dataset: String(row.dataset),
    seed: null,
    metric: String(row.metric),
    score: Number(row.value),
  }));
  return scoreMatrix(runs);
}

/** Lowest and highest run of each dataset with the whole training split, what all fractions are normalised by. */
export const geobenchLimits = (): ScaleLimits => scaleLimits(geobenchSegmentation(1));

/**
 * Aggregates of the segmentation models (figures 10 and 12): normalised scores of all seeds and datasets in one pool,
 * interquartile mean, bootstrap within model and dataset. The paper's resamples are unseeded: its digits differ in the
 * fourth place.
 * @param options.datasets default: all six
 */
export function geobenchAggregates(options: {
  readonly labelFraction: number;
  readonly resamples: number;
  readonly draws: Draws;
  readonly datasets?: readonly string[];
}): ResampleSummary[] {
  const normalized = normalize(geobenchSegmentation(options.labelFraction), geobenchLimits());
  const matrix = options.datasets ? selectDatasets(normalized, options.datasets) : normalized;
  return summarizeResamples(bootstrap(matrix, 'pooled-iqm', options));
}
