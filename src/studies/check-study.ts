import { RunError } from '../errors.js';
import { validationScoreOf } from '../results/main-score.js';
import { totalSeconds } from '../results/total-seconds.js';
import { tryArms } from './run-study.js';
import type { StudyDefinition, StudyRunOptions } from './study.js';

/** What a check says of one arm. */
export interface ArmCheck {
  readonly arm: string;
  readonly loss: number | null;
  readonly validationScore: number | null;
  /** What the score is, e.g. `RMSE`, or `loss`. */
  readonly metric: string;
  readonly dataset: string;
  readonly seconds: number;
}

/**
 * One batch of every arm from data to scores; nothing is kept.
 * @throws RunError CHECK_FAILED with the first arm that does not get through
 */
export async function checkStudy(
  study: StudyDefinition,
  options: Pick<StudyRunOptions, 'signal' | 'onEvent'> = {},
): Promise<ArmCheck[]> {
  const { records, failed } = await tryArms(study, options);
  const first = failed[0];
  if (first) {
    throw new RunError(
      'CHECK_FAILED',
      `${failed.length === 1 ? 'One arm fails' : `${failed.length} arms fail`}; "${first.run.arm}": ${first.error.message}`,
      {
        where: first.error.where,
        hint: first.error.hint,
      },
    );
  }
  return records.map((record) => ({
    arm: record.arm,
    loss: record.curve.at(-1)?.trainLoss ?? null,
    validationScore: record.curve.at(-1)?.validationScore ?? null,
    metric: validationScoreOf(record),
    dataset: record.definition.dataset,
    seconds: totalSeconds(record),
  }));
}
