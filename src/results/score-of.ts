import { mainScoreOf, ownEvaluation } from './main-score.js';
import type { RunRecord, ScoreRow } from './run-record.js';

/** Which of a run's numbers is meant; what is left out has the default beside it. */
export interface ScoreQuery {
  readonly split: string;
  /** Default `all`. */
  readonly place?: string;
  /** Default: the one that the run's protocol asks for. */
  readonly evaluation?: ScoreRow['evaluation'];
  /** Default: the main score of the run's task. */
  readonly metric?: string;
  /** Default null: the mean over classes. */
  readonly className?: string | null;
}

/** The asked number of one run; null where the run has it not, or it is undefined. */
export function scoreOf(record: RunRecord, query: ScoreQuery): number | null {
  const { split, place = 'all', className = null } = query;
  const { evaluation = ownEvaluation(record), metric = mainScoreOf(record) } = query;
  const row = record.scores.find(
    (score) =>
      score.split === split &&
      score.place === place &&
      score.evaluation === evaluation &&
      score.metric === metric &&
      score.className === className,
  );
  return row?.value ?? null;
}
