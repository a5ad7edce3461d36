import { runCsvCase } from './csv.js';
import type { CaseEntry } from './judge.js';
import { runMetricCases } from './metrics.js';
import { runParquetCase } from './parquet.js';
import { runResultsCase } from './results.js';
import { runPartitionCase, runSubsetCase } from './splits.js';
import { runTacoCase } from './taco.js';

type Runner = (file: string, entry: never) => Promise<string | undefined>;

/** Which code reads a file of the folder `tables`; the first rule that fits. */
const RUNNERS: readonly (readonly [rule: RegExp, runner: Runner])[] = [
  [/\/bad_[^/]*\.csv$/, runCsvCase],
  [/\/results_[^/]*\.csv$/, runResultsCase],
  [/\.parquet$/, runParquetCase],
  [/\.(tortilla|taco)$/, runTacoCase],
  [/\/partition_[^/]*\.json$/, runPartitionCase],
  [/\/metric_cases[^/]*\.json$/, runMetricCases],
  [/\/labels_for_subsets[^/]*\.csv$/, runSubsetCase],
];

/** One file of the folder `tables`. @returns undefined where all is right, else one line */
export function runTableCase(file: string, entry: CaseEntry): Promise<string | undefined> {
  const runner = RUNNERS.find(([rule]) => rule.test(`/${entry.file}`))?.[1];
  return runner ? runner(file, entry as never) : Promise.resolve('there is no code for this yet');
}
