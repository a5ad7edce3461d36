import { groupBy } from '../../collections.js';
import { listed } from '../../display/words.js';
import { mainScoreOf, scoreNamed } from '../../results/main-score.js';
import { armOfTrial, isTrial, type RunRecord } from '../../results/run-record.js';
import { scoreOf } from '../../results/score-of.js';
import { groupArms, type Arm } from '../../statistics/arms.js';
import { trialKey, type LeaderboardRun } from './leaderboard-run.js';
import { releasedMetrics } from './released-runs.js';

interface RecordRuns {
  readonly runs: readonly LeaderboardRun[];
  readonly trials: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
}

/**
 * The runs of a store, one model an encoder; arms of one encoder on one dataset are models of their own. Each run has the
 * number by which the released runs of its dataset are scored, on the split `test`. Trivial predictors are left out.
 */
export function recordRuns(records: readonly RunRecord[], source: string): RecordRuns {
  const arms = groupArms(records).filter(({ isTrivial }) => !isTrivial);
  const metrics = releasedMetrics();
  const nameOf = armNames(arms);
  const runs = arms.flatMap((arm) =>
    arm.runs.map((run): LeaderboardRun => {
      const asked = metrics.get(arm.dataset);
      // a released name may be another than the record's, e.g. boxAP
      const own = asked === undefined ? undefined : (scoreNamed(asked) ?? asked);
      const has = run.scores.some(({ metric }) => metric === own);
      const [metric, scored] =
        asked !== undefined && has ? [asked, own!] : [mainScoreOf(run), mainScoreOf(run)];
      const { encoderMode, modalities } = arm.settings;
      return {
        source,
        model: nameOf(arm),
        dataset: arm.dataset,
        seed: String(run.definition.seed),
        metric,
        score: scoreOf(run, { split: 'test', metric: scored }),
        decoder: arm.decoder,
        encoderMode: typeof encoderMode === 'string' ? encoderMode : null,
        modalities: typeof modalities === 'string' ? modalities : null,
      };
    }),
  );
  const modes = new Set(arms.map(({ mode }) => mode));
  const trivial = groupArms(records).filter(({ isTrivial }) => isTrivial);
  return {
    runs,
    trials: trialCounts(records, arms, nameOf),
    notes: [
      ...(modes.has('corrected')
        ? ['Runs are corrected; the released ones have the known faults of their reference.']
        : []),
      ...(trivial.length > 0
        ? [`Trivial predictors are left out: ${listed([...new Set(trivial.map(({ name }) => name))])}.`]
        : []),
    ],
  };
}

/** The encoder's id, with the arm where an encoder has several on a dataset. */
function armNames(arms: readonly Arm[]): (arm: Arm) => string {
  const counts = [...groupBy(arms, ({ dataset, encoder }) => trialKey(encoder, dataset)).values()];
  const several = new Set(counts.filter(({ length }) => length > 1).map((own) => own[0]!.encoder));
  return ({ encoder, name }) => (several.has(encoder) && name !== encoder ? `${encoder}, ${name}` : encoder);
}

/** Trials of each arm's own search. */
function trialCounts(
  records: readonly RunRecord[],
  arms: readonly Arm[],
  nameOf: (arm: Arm) => string,
): ReadonlyMap<string, number> {
  const trials = records.filter(isTrial);
  return new Map(
    arms.map((arm) => {
      const { arm: name } = arm.runs[0]!;
      const own = trials.filter(
        (trial) =>
          armOfTrial(trial) === name &&
          trial.definition.dataset === arm.dataset &&
          trial.definition.encoder === arm.encoder &&
          trial.definition.decoder === arm.decoder,
      );
      return [trialKey(nameOf(arm), arm.dataset), own.length];
    }),
  );
}
