import { groupBy } from '../../collections.js';
import { listed } from '../../display/words.js';
import { PERCENT_ABOVE } from '../../results/import-runs.js';
import { isError, scoreNamed } from '../../results/main-score.js';
import type { LeaderboardRun, RunSource } from './leaderboard-run.js';
import { releasedMetrics } from './released-runs.js';

/** BioMassters' score in the released runs: 1 − 0.2538 · RMSE of targets divided by 289.89 t/ha. */
const scaledRmse = (rmse: number): number => 1 - (0.2538 * rmse) / 289.89;

/** Names of scores in submissions and other tables, in lower case, and what records call them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  multilabel_f1_score: 'macroF1',
  overall_accuracy: 'accuracy',
  multiclass_jaccard_index: 'mIoU',
  map: 'boxAP',
  segm_map: 'maskAP',
  rmse: 'RMSE',
};

function knownName(name: string | null, wanted: string): string {
  if (name === null || name === '') return wanted;
  const bare = name.toLowerCase().replace(/^(test_)+/, '');
  if (bare === wanted.toLowerCase()) return wanted;
  return Object.hasOwn(OTHER_NAMES, bare) ? OTHER_NAMES[bare]! : name;
}

/**
 * Brings scores to those of the released runs: percent to shares, an RMSE of BioMassters in t/ha to its scaled form (in
 * submissions it is scaled already). Runs on a dataset of the benchmark that are scored by something else, or out of scale, are left out.
 */
export function alignScores(
  runs: readonly LeaderboardRun[],
  kind: RunSource['kind'],
): { readonly runs: readonly LeaderboardRun[]; readonly notes: readonly string[] } {
  const metrics = releasedMetrics();
  const notes: string[] = [];
  const aligned = [...groupBy(runs, ({ dataset }) => dataset)].flatMap(([dataset, own]) => {
    const note = (text: string): number => notes.push(`${dataset}: ${text}`);
    const wanted = metrics.get(dataset);
    if (wanted === undefined) return shares(withKnownNames(own, note), note);
    const named = own.map((run) => ({ ...run, metric: knownName(run.metric, wanted) }));
    const errors = wanted === 'scaledRMSE' ? named.filter(({ metric }) => metric === 'RMSE') : [];
    const others = named.filter((run) => run.metric !== wanted && !errors.includes(run));
    for (const [metric, group] of groupBy(others, (run) => run.metric))
      note(
        `${group.length} ${group.length === 1 ? 'run is' : 'runs are'} scored by ${metric}, the released ones by ${wanted}: left out.`,
      );
    const isScaled = kind === 'submission';
    if (errors.length > 0 && !isScaled) note('RMSE is taken as t/ha and turned into scaledRMSE.');
    const scaled = (score: number | null): number | null =>
      isScaled || score === null ? score : scaledRmse(score);
    const direct = named.filter(({ metric }) => metric === wanted);
    const aligned = [
      ...(wanted === 'scaledRMSE' ? direct : shares(direct, note)), // 52 is rather an RMSE than percent
      ...errors.map((run) => ({ ...run, metric: wanted, score: scaled(run.score) })),
    ];
    return withinScale(aligned, note);
  });
  return { runs: aligned, notes };
}

/** Names as records have them; of the others nobody knows which way is better. */
function withKnownNames(
  runs: readonly LeaderboardRun[],
  note: (text: string) => unknown,
): readonly LeaderboardRun[] {
  const names = new Set(runs.map(({ metric }) => metric));
  for (const name of names) {
    if (name === null || name === '') note('its scores have no name: higher counts as better.');
    else if (!scoreNamed(name)) note(`the score "${name}" is not known: higher counts as better.`);
  }
  return runs.map((run) => ({ ...run, metric: scoreNamed(run.metric ?? '') ?? run.metric }));
}

/** A scaled RMSE falls below 0 as an error grows; at this one, an RMSE of 43 times the spread, it is none. */
const LOWEST = -10;

/** Leaves out, by name, scores that no metric of the benchmark can give. */
function withinScale(
  runs: readonly LeaderboardRun[],
  note: (text: string) => unknown,
): readonly LeaderboardRun[] {
  const isWithin = ({ score }: LeaderboardRun): boolean =>
    score === null || (score >= LOWEST && score <= PERCENT_ABOVE);
  const beyond = runs.filter((run) => !isWithin(run));
  if (beyond.length === 0) return runs;
  const counted = `${beyond.length} ${beyond.length === 1 ? 'run' : 'runs'}`;
  const models = listed([...new Set(beyond.map(({ model }) => model))]);
  const scores = beyond[0]!.score!;
  note(
    `${counted} of ${models} left out: a score such as ${scores} is not in the scale of ${beyond[0]!.metric}, ${LOWEST} … ${PERCENT_ABOVE}.`,
  );
  return runs.filter(isWithin);
}

function shares(runs: readonly LeaderboardRun[], note: (text: string) => unknown): readonly LeaderboardRun[] {
  const isPercent = runs.some(({ score, metric }) => (score ?? 0) > PERCENT_ABOVE && !isError(metric ?? ''));
  if (!isPercent) return runs;
  note('scores are percent and divided by 100.');
  return runs.map((run) => ({ ...run, score: run.score === null ? null : run.score / 100 }));
}
