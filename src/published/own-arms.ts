import { groupBy } from '../collections.js';
import { canonicalJson } from '../results/canonical-json.js';
import { scoreNamed } from '../results/main-score.js';
import type { RunRecord } from '../results/run-record.js';
import { scoreOf } from '../results/score-of.js';
import { repeatsOf } from '../statistics/arms.js';

/** Runs that differ in nothing but their seed. */
export interface OwnArm {
  readonly name: string;
  /** At least one. */
  readonly records: readonly RunRecord[];
}

/** The arms of a user's runs, without trials of searches, in the order in which they come. */
export const ownArms = (records: readonly RunRecord[]): OwnArm[] =>
  [
    ...groupBy(repeatsOf(records), ({ definition: { seed: _seed, ...rest } }) =>
      canonicalJson({ ...rest }),
    ).values(),
  ].map((group) => ({ name: group[0]!.arm, records: group }));

/** Where in a record a published number has its counterpart. */
export interface ScorePlace {
  readonly split: string;
  readonly place: string;
  readonly metric: string;
  /** null: the mean over classes. */
  readonly class: string | null;
}

/** That score of every run of the arm that has it, by the evaluation of the run's protocol. */
export function armScores(
  { records }: OwnArm,
  { split, place, metric, class: className }: ScorePlace,
): number[] {
  const query = { split, place, metric: scoreNamed(metric) ?? metric, className };
  return records.flatMap((record) => scoreOf(record, query) ?? []);
}
