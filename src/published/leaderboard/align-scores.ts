import { groupBy } from '../../collections.js';
import { isError } from '../../results/main-score.js';
import type { LeaderboardRun, RunSource } from './leaderboard-run.js';
import { releasedMetrics } from './released-runs.js';

/** BioMassters' score in the released runs: 1 − 0.2538 · RMSE of targets divided by 289.89 t/ha. */
const scaledRmse = (rmse: number): number => 1 - (0.2538 * rmse) / 289.89;

/** Names of scores in submissions, which are those of the released runs under other words. */
const FORM_WORDS =
  /^(multilabel_f1_score|overall_accuracy|multiclass_jaccard_index|rmse|(test_)*(test_)?map|(test_)*(test_)?segm_map)$/i;

/**
 * Brings scores to those of the released runs: percent to shares, an RMSE of BioMassters in t/ha to its scaled form (in
 * submissions it is scaled already). Runs on a dataset of the benchmark that are scored by something else are left out.
 */
export function alignScores(
  runs: readonly LeaderboardRun[],
  kind: RunSource['kind'],
): { readonly runs: readonly LeaderboardRun[]; readonly notes: readonly string[] } {
  const metrics = releasedMetrics();
  const notes: string[] = [];
  const aligned = [...groupBy(runs, ({ dataset }) => dataset)].flatMap(([dataset, own]) => {
    const wanted = metrics.get(dataset);
    const found = own[0]!.metric;
    if (wanted === 'scaledRMSE' && found === 'RMSE' && kind !== 'submission') {
      notes.push(`${dataset}: RMSE is taken as t/ha and turned into scaledRMSE.`);
      return own.map((run) => ({
        ...run,
        metric: wanted,
        score: run.score === null ? null : scaledRmse(run.score),
      }));
    }
    const scaled = shares(own, (text) => notes.push(`${dataset}: ${text}`));
    if (wanted === undefined || own.every(({ metric }) => metric === wanted)) return scaled;
    if (own.every(({ metric }) => metric === null || FORM_WORDS.test(metric)))
      return scaled.map((run) => ({ ...run, metric: wanted }));
    notes.push(
      `${dataset}: runs are scored by ${found ?? 'nothing named'}, the released ones by ${wanted}: left out.`,
    );
    return [];
  });
  return { runs: aligned, notes };
}

/** Above this a score is percent. */
const PERCENT_ABOVE = 1.5;

function shares(runs: readonly LeaderboardRun[], note: (text: string) => void): readonly LeaderboardRun[] {
  const isPercent = runs.some(({ score, metric }) => (score ?? 0) > PERCENT_ABOVE && !isError(metric ?? ''));
  if (!isPercent) return runs;
  note('scores are percent and divided by 100.');
  return runs.map((run) => ({ ...run, score: run.score === null ? null : run.score / 100 }));
}
