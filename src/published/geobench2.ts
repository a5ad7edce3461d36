import { readBenchmarkManifest } from '../manifests/benchmark-manifest.js';
import type { RunScore } from '../results/run-score.js';
import { interquartileMean } from '../statistics/aggregate.js';
import { bootstrap } from '../statistics/bootstrap.js';
import { pandasDraws } from '../statistics/draws.js';
import { datasetEffects, type DatasetEffect } from '../statistics/effects.js';
import { kendall } from '../statistics/kendall.js';
import { normalize, type ScaleLimits } from '../statistics/normalize.js';
import { summarizeResamples, type ResampleSummary } from '../statistics/resample-summary.js';
import {
  cellStatistics,
  scoreMatrix,
  selectDatasets,
  selectModels,
  type ScoreMatrix,
} from '../statistics/score-matrix.js';
import { mean, standardDeviation } from '../statistics/summary.js';
import { publishedRows, type PublishedRow } from './published-rows.js';

/**
 * Which released runs of GEO-Bench-2 are taken together.
 * - `full`, `multimodal`, `frozen`: one file of the leaderboard, all its encoders
 * - `paper`: what Table 1 ranks (section 3.4): the fine-tuned runs of the paper's 14 encoders, those of TerraMind-L on
 *   BEN V2 and BioMassters with radar
 */
export type Geobench2Runs = 'full' | 'multimodal' | 'frozen' | 'paper';

/** Encoders of the released file that the paper does not name. */
const NOT_IN_PAPER = new Set([
  'dofa-base',
  'resnet50-dino-s2-multi',
  'resnet50-moco-s2-multi',
  'satlas-resnet50-sentinel2',
]);

const isWithRadar = ({ encoder, dataset }: PublishedRow): boolean =>
  encoder === 'terramind-v1-large' && (dataset === 'gb2-benv2' || dataset === 'gb2-biomassters');

/** Rows of released runs, each with the table that it is from. */
export function geobench2Rows(runs: Geobench2Runs): readonly PublishedRow[] {
  if (runs !== 'paper') return publishedRows(`geobench2-runs-${runs}`);
  const full = geobench2Rows('full').filter(
    (row) => !NOT_IN_PAPER.has(String(row.encoder)) && !isWithRadar(row),
  );
  return [...full, ...geobench2Rows('multimodal').filter(isWithRadar)];
}

/** Released runs as scores, by ids of encoders and datasets; every score is better when it is higher. */
export const geobench2Scores = (runs: Geobench2Runs): RunScore[] =>
  geobench2Rows(runs).map((row) => ({
    model: String(row.encoder),
    dataset: String(row.dataset),
    seed: String(row.seed),
    metric: String(row.metric),
    score: Number(row.value),
  }));

/** Lowest and highest released score of each dataset, what scores are normalised by (section 3.7). */
export const geobench2Limits = (): ScaleLimits =>
  Object.fromEntries(
    publishedRows('geobench2-normaliser').map(({ dataset, low, high }) => [
      String(dataset),
      { low: Number(low), high: Number(high) },
    ]),
  );

/** A model's score on a capability: `mean` is what the leaderboard prints, `monteCarloError` its error. */
export interface CapabilityScore extends ResampleSummary {
  readonly capability: string;
}

/**
 * Capability scores of released runs as the leaderboard computes them (section 3.7): normalised scores of all seeds and
 * datasets in one pool, interquartile mean, its mean over 100 resamples, which are drawn as its code draws them, so that
 * the digits are the same. Models that lack a dataset of the capability have no score.
 */
export function geobench2Capabilities(runs: Geobench2Runs): CapabilityScore[] {
  const rows = geobench2Rows(runs);
  // the released code draws in the order of its own names
  const ids = new Map(rows.map(({ encoder, releasedEncoder }) => [String(releasedEncoder), String(encoder)]));
  const names = new Map(
    rows.map(({ dataset, releasedDataset }) => [String(dataset), String(releasedDataset)]),
  );
  const limits = geobench2Limits();
  const released = scoreMatrix(
    rows.map((row) => ({
      model: String(row.releasedEncoder),
      dataset: String(row.releasedDataset),
      seed: String(row.seed),
      metric: String(row.metric),
      score: Number(row.value),
    })),
  );
  const limitsByName = Object.fromEntries([...names].map(([id, name]) => [name, limits[id]!]));
  const normalized = normalize(released, limitsByName);
  return Object.entries(readBenchmarkManifest('geobench2').capabilities).flatMap(([capability, datasets]) => {
    const wanted = datasets.map((id) => names.get(id) ?? id);
    const matrix = selectDatasets(normalized, wanted);
    return leaderboardScores(matrix).map((summary) => ({
      ...summary,
      capability,
      model: ids.get(summary.model)!,
    }));
  });
}

/** Incomplete models take part in the drawing, as in the released code, and have no score. */
function leaderboardScores(matrix: ScoreMatrix): ResampleSummary[] {
  const isComplete = matrix.cells.map((row) => row.every(({ values }) => values.length > 0));
  const resamples = bootstrap(matrix, 'pooled-iqm', {
    resamples: 100,
    draws: pandasDraws({ firstSeed: 100 }),
    ofIncomplete: 'rest',
  });
  return summarizeResamples(resamples).filter((_, row) => isComplete[row]);
}

/**
 * What fine-tuning gains over frozen encoders on each dataset, over the encoders that were run both ways (section 6.3.2,
 * figure 27): paired t test and Cohen's d over the models' means. The paper's code is not published; the pooled d gives
 * the order of datasets that its text tells.
 */
export const geobench2FrozenEffect = (): DatasetEffect[] =>
  datasetEffects(scoreMatrix(geobench2Scores('full')), scoreMatrix(geobench2Scores('frozen')));

/** Share of pairs of encoders whose order differs between frozen and fine-tuned, dataset by dataset (section 4.6). */
export function geobench2RankChanges(): { readonly dataset: string; readonly distance: number | null }[] {
  const frozen = scoreMatrix(geobench2Scores('frozen'));
  const full = selectModels(
    selectDatasets(scoreMatrix(geobench2Scores('full')), frozen.datasets),
    frozen.models,
  );
  const [after, before] = [cellStatistics(full, mean), cellStatistics(frozen, mean)];
  return frozen.datasets.map((dataset, column) => ({
    dataset,
    distance: kendall(
      after.map((row) => row[column]),
      before.map((row) => row[column]),
    ).distance,
  }));
}

/** A model on a dataset, over its seeds. */
export interface DatasetScore {
  readonly model: string;
  readonly dataset: string;
  readonly runs: number;
  readonly mean: number | null;
  readonly standardDeviation: number | null;
  /** Interquartile mean of the normalised scores: of five seeds the mean of the middle three. */
  readonly normalizedIqm: number | null;
}

/** Scores of released runs by model and dataset (figures 25 and 27). */
export function geobench2Datasets(runs: Geobench2Runs): DatasetScore[] {
  const matrix = scoreMatrix(geobench2Scores(runs));
  const normalized = normalize(matrix, geobench2Limits());
  return matrix.models.flatMap((model, row) =>
    matrix.datasets.flatMap((dataset, column) => {
      const { values } = matrix.cells[row]![column]!;
      if (values.length === 0) return [];
      return [
        {
          model,
          dataset,
          runs: values.length,
          mean: mean(values),
          standardDeviation: standardDeviation(values),
          normalizedIqm: interquartileMean(normalized.cells[row]![column]!.values),
        },
      ];
    }),
  );
}
