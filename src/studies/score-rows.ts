import type { Scored, SplitEvaluation } from '../evaluation/split-scores.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { ScoreRow } from '../results/run-record.js';

/** Tidy rows of a split: for `all` places together and, where there are several, for each of them. */
export function scoreRows(
  split: string,
  evaluation: ScoreRow['evaluation'],
  { total, byPlace }: Pick<SplitEvaluation, 'total' | 'byPlace'>,
  { classes }: Pick<DatasetManifest, 'classes'>,
): ScoreRow[] {
  const all: [string, Scored] = ['all', total];
  const places = byPlace.size > 1 ? [all, ...byPlace] : [all];
  return places.flatMap(([place, metric]) => {
    const row = (metricName: string, className: string | null, value: number | null): ScoreRow => ({
      ...{ split, place, evaluation, metric: metricName, className, value },
    });
    const means = Object.entries(metric.scores()).map(([name, value]) => row(name, null, value));
    const byClass = metric.perClass();
    // the background of objects is none of their classes
    const isScored = (index: number): boolean => byClass['support']?.[index] !== null;
    const perClass = Object.entries(byClass).flatMap(([name, values]) =>
      values.flatMap((value, index) =>
        isScored(index) ? [row(name, classes[index]?.name ?? String(index), value)] : [],
      ),
    );
    return [...means, ...perClass];
  });
}
