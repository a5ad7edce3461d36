import path from 'node:path';
import { readCsv } from '../../io/csv.js';
import { importRuns, type ImportedRuns } from '../../results/import-runs.js';
import { aggregate, interquartileMean, median } from '../../statistics/aggregate.js';
import { bootstrap } from '../../statistics/bootstrap.js';
import { randomDraws } from '../../statistics/draws.js';
import { pairBySeed } from '../../statistics/effects.js';
import { probabilityOfImprovement } from '../../statistics/improvement.js';
import { kendall } from '../../statistics/kendall.js';
import { normalize, scaleLimits } from '../../statistics/normalize.js';
import { cohensD, pairedTTest } from '../../statistics/paired-tests.js';
import { rankTable } from '../../statistics/ranks.js';
import { summarizeResamples } from '../../statistics/resample-summary.js';
import { cellStatistics, scoreMatrix, type ScoreMatrix } from '../../statistics/score-matrix.js';
import { mean, standardDeviation } from '../../statistics/summary.js';
import { createRandom } from '../../random.js';
import { firstValueDifference } from '../fixtures/values.js';
import { judge, type CaseEntry } from './judge.js';

interface Comparison {
  readonly a: string;
  readonly b: string;
}

/** Right numbers of a table of runs; what a case does not speak of is absent. */
interface ResultsEntry extends CaseEntry {
  readonly rows?: number;
  readonly lowerIsBetter?: readonly string[];
  readonly failed?: readonly { readonly row: number }[];
  readonly missing?: readonly (readonly (string | number)[])[];
  readonly equalRepeats?: number;
  readonly conflicts?: readonly unknown[];
  readonly ifFirstKept?: unknown;
  readonly leftOut?: readonly string[];
  readonly bootstrapIqm95?: Readonly<Record<string, Readonly<Record<'low' | 'high' | 'tol', number>>>>;
  readonly pairedTTest?: Comparison & {
    readonly dataset: string;
    readonly cohenD?: { readonly value: number };
  };
  readonly kendallTauB?: { readonly between: readonly [string, string]; readonly tau: number };
  readonly kendallDistance?: unknown;
  readonly probabilityOfImprovement?: Comparison;
  readonly columns?: readonly string[];
  readonly firstScore?: number;
  readonly sameAs?: string;
  readonly values?: readonly (readonly unknown[])[];
  readonly cells?: unknown;
  readonly normaliser?: unknown;
  readonly aggregate?: unknown;
  readonly ranksAverageTies?: unknown;
}

// sums in another order differ in the last digits; numbers in the cases have four
const TOLERANCE = { atol: 1e-9, rtol: 1e-9 };

/** A table of runs: imported, and what statistics say of it. */
export const runResultsCase = (file: string, entry: ResultsEntry): Promise<string | undefined> =>
  judge(entry, () => {
    const imported = importRuns(file);
    const { lowerIsBetter } = entry; // where a case does not say it, the metric does
    const matrix = scoreMatrix(imported.runs, lowerIsBetter ? { lowerIsBetter } : {});
    const found = { ...describeImport(file, imported, matrix, entry), ...describeScores(matrix, entry) };
    for (const [name, value] of Object.entries(found)) {
      const wanted = (entry as unknown as Readonly<Record<string, unknown>>)[name];
      if (wanted === undefined) continue;
      const difference = firstValueDifference(name, value, wanted, TOLERANCE);
      if (difference !== undefined) return difference;
    }
    return differentInterval(matrix, entry);
  });

function describeImport(
  file: string,
  { runs, failed }: ImportedRuns,
  matrix: ScoreMatrix,
  entry: ResultsEntry,
): Record<string, unknown> {
  const warned = (code: string): ScoreMatrix['warnings'] =>
    matrix.warnings.filter((warning) => warning.code === code);
  const seedLike = (seed: string | null): string | number | null =>
    seed !== null && /^(0|[1-9]\d*)$/.test(seed) ? Number(seed) : seed;
  const conflicts = warned('SEED_CONFLICT').map(({ model, dataset, seeds }) => ({
    model,
    dataset,
    seed: seedLike(seeds[0]!),
    scores: runs
      .filter((run) => run.model === model && run.dataset === dataset && run.seed === seeds[0])
      .map(({ score }) => score),
  }));
  const failedBefore = new Set(
    failed.map(({ model, dataset, seed }) => JSON.stringify([model, dataset, seed])),
  );
  const missing = warned('RUN_MISSING').flatMap(({ model, dataset, seeds }) =>
    seeds
      .filter((seed) => !failedBefore.has(JSON.stringify([model, dataset, seed])))
      .map((seed) => [model, dataset, seedLike(seed)]),
  );
  const sorted = (rows: readonly (readonly unknown[])[]): unknown[] =>
    rows.map((row) => JSON.stringify(row)).sort();
  return {
    rows: runs.length,
    failed: failed.map(({ line, seed, ...rest }) => ({ ...rest, row: line, seed: seedLike(seed) })),
    ...(entry.missing && sorted(entry.missing).join() === sorted(missing).join()
      ? { missing: entry.missing } // their order says nothing
      : { missing }),
    equalRepeats: warned('REPEAT_MERGED').reduce((sum, { seeds }) => sum + seeds.length, 0),
    conflicts,
    leftOut: normalize(matrix)
      .warnings.filter(({ code }) => code === 'DATASET_CONSTANT')
      .map(({ dataset }) => dataset),
    columns: readCsv(file).columns,
    firstScore: runs[0]?.score,
    sameAs:
      entry.sameAs === undefined ||
      JSON.stringify(importRuns(path.join(path.dirname(file), path.basename(entry.sameAs))).runs) !==
        JSON.stringify(runs)
        ? 'another table'
        : entry.sameAs,
    values: runs.map(({ model, dataset, seed, score }) => [model, dataset, seed, score]),
  };
}

/** Between the lowest and the highest mean of a model, as these cases have it. */
const normalized = (matrix: ScoreMatrix): ScoreMatrix =>
  normalize(matrix, scaleLimits(matrix, { over: 'model-means' }));

function describeScores(matrix: ScoreMatrix, entry: ResultsEntry): Record<string, unknown> {
  const cells = matrix.cells.flatMap((row, at) =>
    row.flatMap(({ values }, column) => {
      if (values.length === 0) return [];
      const numbers = {
        n: values.length,
        mean: mean(values),
        std: standardDeviation(values),
        median: median(values),
        iqm: interquartileMean(values),
      };
      return [[`${matrix.models[at]!}|${matrix.datasets[column]!}`, numbers] as const];
    }),
  );
  const aggregates = aggregatesOf(normalized(matrix));
  return {
    cells: Object.fromEntries(cells),
    normaliser: scaleLimits(matrix, { over: 'model-means' }),
    aggregate: aggregates,
    ifFirstKept: aggregates,
    ranksAverageTies: ranksOf(matrix),
    ...compared(matrix, entry),
  };
}

function aggregatesOf(matrix: ScoreMatrix): Record<string, unknown> {
  const kinds = { iqm: 'pooled-iqm', mean: 'pooled-mean', median: 'pooled-median' } as const;
  const options = { ofIncomplete: 'rest' } as const;
  const columns = { ...kinds, meanOfDatasetMeans: 'mean-of-dataset-means' } as const;
  const numbers = Object.entries(columns).map(
    ([name, kind]) => [name, aggregate(matrix, kind, options)] as const,
  );
  return Object.fromEntries(
    matrix.models.map((model, row) => {
      const n = matrix.cells[row]!.reduce((sum, { values }) => sum + values.length, 0);
      return [model, { n, ...Object.fromEntries(numbers.map(([name, values]) => [name, values[row]])) }];
    }),
  );
}

function ranksOf(matrix: ScoreMatrix): Record<string, unknown> {
  const table = rankTable(matrix);
  return Object.fromEntries(
    matrix.datasets.map((dataset, column) => [
      dataset,
      Object.fromEntries(
        matrix.models.flatMap((model, row) =>
          table[row]![column] === null ? [] : [[model, table[row]![column]]],
        ),
      ),
    ]),
  );
}

function compared(matrix: ScoreMatrix, entry: ResultsEntry): Record<string, unknown> {
  const { pairedTTest: test, kendallTauB: tau, probabilityOfImprovement: improvement } = entry;
  const found: Record<string, unknown> = {};
  const cellOf = (model: string, dataset: string): ScoreMatrix['cells'][number][number] =>
    matrix.cells[matrix.models.indexOf(model)]![matrix.datasets.indexOf(dataset)]!;
  if (test) {
    const { a, b } = pairBySeed(cellOf(test.a, test.dataset), cellOf(test.b, test.dataset));
    const { t, pValue, degreesOfFreedom } = pairedTTest(a, b);
    found.pairedTTest = {
      ...test,
      t,
      p: pValue,
      df: degreesOfFreedom,
      ...(test.cohenD && { cohenD: { ...test.cohenD, value: cohensD(a, b, 'paired') } }),
    };
  }
  if (tau) {
    const means = cellStatistics(matrix, mean);
    const [x, y] = tau.between.map((dataset) =>
      means.map((row) => row[matrix.datasets.indexOf(dataset)]!),
    ) as [(number | null)[], (number | null)[]];
    const { tauB, discordant, pairs } = kendall(x, y);
    found.kendallTauB = { ...tau, tau: tauB };
    found.kendallDistance = { discordantPairs: discordant, pairs };
  }
  if (improvement) {
    const value = probabilityOfImprovement(matrix, improvement.a, improvement.b);
    found.probabilityOfImprovement = { ...improvement, value };
  }
  return found;
}

/** Intervals have a tolerance of their own: they are drawn. */
function differentInterval(matrix: ScoreMatrix, { bootstrapIqm95 }: ResultsEntry): string | undefined {
  if (!bootstrapIqm95) return undefined;
  const draws = randomDraws(createRandom(0));
  const options = { resamples: 4000, draws, ofIncomplete: 'rest' } as const;
  const rows = summarizeResamples(bootstrap(normalized(matrix), 'pooled-iqm', options));
  for (const { model, interval } of rows) {
    const wanted = bootstrapIqm95[model];
    if (!wanted) continue;
    const { tol, ...ends } = wanted;
    const difference = firstValueDifference(`bootstrapIqm95.${model}`, interval, ends, {
      atol: tol,
      rtol: 0,
    });
    if (difference !== undefined) return difference;
  }
  return undefined;
}
