import { total } from '../evaluation/evaluate-tiles.js';
import type { ConfusionMatrix } from '../metrics/confusion-matrix.js';
import { segmentationScores } from '../metrics/segmentation-scores.js';
import type { ScoreRow } from '../results/run-record.js';

/** Tidy rows of a split: for `all` places together and, where there are several, for each of them. */
export function scoreRows(
  split: string,
  evaluation: ScoreRow['evaluation'],
  byPlace: ReadonlyMap<string, ConfusionMatrix>,
  classes: readonly string[],
): ScoreRow[] {
  const all: [string, ConfusionMatrix] = ['all', total(byPlace, classes.length)];
  const places = byPlace.size > 1 ? [all, ...byPlace] : [all];
  return places.flatMap(([place, matrix]) => {
    const scores = segmentationScores(matrix);
    const row = (metric: string, className: string | null, value: number | null): ScoreRow => ({
      split,
      place,
      evaluation,
      metric,
      className,
      value,
    });
    return [
      row('mIoU', null, scores.mIoU),
      row('mF1', null, scores.mF1),
      row('accuracy', null, scores.accuracy),
      ...scores.classes.flatMap(({ IoU, F1, support }, index) => [
        row('IoU', classes[index]!, IoU),
        row('F1', classes[index]!, F1),
        row('support', classes[index]!, support),
      ]),
    ];
  });
}
