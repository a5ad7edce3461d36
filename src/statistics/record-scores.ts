import { mainScoreOf } from '../results/main-score.js';
import type { RunRecord } from '../results/run-record.js';
import type { RunScore } from '../results/run-score.js';
import { scoreOf, type ScoreQuery } from '../results/score-of.js';
import { groupArms, type Arm } from './arms.js';

export interface RecordScoresOptions extends Omit<ScoreQuery, 'split'> {
  /** Default `test`. */
  readonly split?: string;
  /** What is ranked; default: the encoder's id. Names of arms: `({ name }) => name`. */
  readonly model?: (arm: Arm) => string;
}

/** A number of each run of a store, as the rows of a score matrix. Trivial predictors have no seed. */
export function recordScores(records: readonly RunRecord[], options: RecordScoresOptions = {}): RunScore[] {
  const { split = 'test', model = ({ encoder }: Arm): string => encoder, ...query } = options;
  return groupArms(records).flatMap((arm) =>
    arm.runs.map((run) => ({
      model: model(arm),
      dataset: arm.dataset,
      seed: run.definition.seed === null ? null : String(run.definition.seed),
      metric: query.metric ?? mainScoreOf(run),
      score: scoreOf(run, { ...query, split }),
    })),
  );
}
