import { mainScore, scoreKinds, type ScoreName } from '../metrics/score-kinds.js';
import type { MetricTask } from '../metrics/metric.js';
import type { RunRecord, ScoreRow } from '../results/run-record.js';

/** The score that a run is judged by: that of its dataset's task. */
export const mainScoreOf = ({ task }: Pick<RunRecord, 'task'>): ScoreName =>
  mainScore[(task ?? 'segmentation') as MetricTask] ?? 'mIoU';

/** Whether a greater value of a score is better; scores that are not known count as such. */
export const isHigherBetter = (score: string): boolean =>
  scoreKinds[score as ScoreName]?.isHigherBetter ?? true;

/** Ways of evaluation that records have, the protocol's own first. */
export function evaluationsOf(records: readonly Pick<RunRecord, 'scores'>[]): ScoreRow['evaluation'][] {
  const found = new Set(records.flatMap(({ scores }) => scores.map(({ evaluation }) => evaluation)));
  return EVALUATIONS.filter((evaluation) => found.has(evaluation));
}

const EVALUATIONS = ['tiles', 'whole', 'sliding-window', 'tiled'] as const satisfies ScoreRow['evaluation'][];
