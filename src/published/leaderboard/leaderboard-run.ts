import type { RunScore } from '../../results/run-score.js';
import type { SubmissionFault } from '../../results/submission-rules.js';

/** A run that a leaderboard counts, with what its rows are filtered by. */
export interface LeaderboardRun extends RunScore {
  /** Where the run comes from: `released`, else the name of a user's source. */
  readonly source: string;
  /** null: not said. */
  readonly decoder: string | null;
  readonly encoderMode: string | null;
  readonly modalities: string | null;
}

/** Runs of one place: a store, a table, a submission. */
export interface RunSource {
  /** Short and unique among the sources of a leaderboard. */
  readonly name: string;
  /** As it was given. */
  readonly path: string;
  readonly kind: 'store' | 'table' | 'submission';
  readonly runs: readonly LeaderboardRun[];
  /** All that it names, also those whose runs are left out. */
  readonly models: readonly string[];
  /** Trials of the search, by model and dataset as `trialKey` joins them; a key that is absent: not said. */
  readonly trials: ReadonlyMap<string, number>;
  /** What was converted or left out, in sentences. */
  readonly notes: readonly string[];
  /** Rules of the submission form that are broken. */
  readonly faults: readonly SubmissionFault[];
}

export const trialKey = (model: string, dataset: string): string => JSON.stringify([model, dataset]);
