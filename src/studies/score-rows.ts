import type { SplitEvaluation } from '../evaluation/split-scores.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { Metric } from '../metrics/metric.js';
import type { ScoreRow } from '../results/run-record.js';

/** Tidy rows of a split: for `all` places together and, where there are several, for each of them. */
export function scoreRows(
  split: string,
  evaluation: ScoreRow['evaluation'],
  { total, byPlace }: Pick<SplitEvaluation, 'total' | 'byPlace'>,
  { classes }: Pick<DatasetManifest, 'classes'>,
): ScoreRow[] {
  const all: [string, Metric] = ['all', total];
  const places = byPlace.size > 1 ? [all, ...byPlace] : [all];
  return places.flatMap(([place, metric]) => {
    const row = (metricName: string, className: string | null, value: number | null): ScoreRow => ({
      ...{ split, place, evaluation, metric: metricName, className, value },
    });
    const means = Object.entries(metric.scores()).map(([name, value]) => row(name, null, value));
    const perClass = Object.entries(metric.perClass()).flatMap(([name, values]) =>
      values.map((value, index) => row(name, classes[index]?.name ?? String(index), value)),
    );
    return [...means, ...perClass];
  });
}
