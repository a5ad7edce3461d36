import { groupBy } from '../collections.js';
import type { RunScore } from '../results/run-score.js';
import { bootstrap } from '../statistics/bootstrap.js';
import { relativeConvergence } from '../statistics/convergence-time.js';
import { discriminativity } from '../statistics/discriminativity.js';
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
  const models = [...new Set(runs.map(({ model }) => model))].sort();
  return scoreMatrix(runs, { models });
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

/** A number for each dataset and training fraction. */
export interface FractionValue {
  readonly dataset: string;
  readonly labelFraction: number;
  readonly value: number | null;
}

/** Samples seen until the best step, relative to a tenth of the training split, the mean over models and runs (section 5.4). */
export function geobenchConvergence(): FractionValue[] {
  const fractions = geobenchFractions();
  return [...groupBy(publishedRows(RUNS), ({ dataset }) => String(dataset))].flatMap(
    ([dataset, ofDataset]) => {
      const steps = [...groupBy(ofDataset, ({ encoder }) => encoder).values()].map((ofModel) => {
        const seen = fractions.map((fraction) =>
          ofModel
            .filter(({ labelFraction }) => labelFraction === fraction)
            .map(({ bestStep, batchSize }) => Number(bestStep) * Number(batchSize)),
        );
        const most = Math.max(...seen.map((runs) => runs.length));
        return Array.from({ length: most }, (_, run) => seen.map((runs) => runs[run]));
      });
      const values = relativeConvergence(steps, fractions.indexOf(0.1));
      return fractions.map((labelFraction, i) => ({ dataset, labelFraction, value: values[i]! }));
    },
  );
}

/**
 * How well each dataset tells the six models apart, over unordered pairs as the released code has it, without its noise and
 * its choice of three seeds (appendix A.5).
 */
export const geobenchDiscriminativity = (): FractionValue[] =>
  geobenchFractions().flatMap((labelFraction) => {
    const matrix = geobenchSegmentation(labelFraction);
    return matrix.datasets.map((dataset) => ({
      dataset,
      labelFraction,
      value: discriminativity(matrix, dataset, { pairs: 'unordered' }).value,
    }));
  });
