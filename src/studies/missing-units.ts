import { groupBy } from '../collections.js';
import { RunError } from '../errors.js';
import { isTrial } from '../results/run-record.js';
import { openStore, type ResultStore } from '../results/store.js';
import { attemptsOf, type Attempt } from '../scale-out/attempts.js';
import type { ClusterOptions } from '../scale-out/cluster-options.js';
import { raisedDemand, type RaisedUnit } from '../scale-out/raised-demand.js';
import { runStates, type RunState } from '../scale-out/run-states.js';
import type { Submission } from '../scale-out/submission.js';
import { viewQueue } from '../scale-out/submissions.js';
import type { GrowingPlan } from './growing-plan.js';
import { outlookOf } from './outlook.js';
import { outcomesIn } from './replay-search.js';
import type { PlannedRun } from './study.js';
import { unitsOf } from './task-units.js';

/** Runs of a plan by what became of them. */
export interface RunCounts {
  readonly total: number;
  readonly done: number;
  readonly busy: number;
  readonly failed: number;
}

/** What is neither finished nor on its way. @throws RunError QUEUE_UNKNOWN */
export async function missingUnits(
  growing: GrowingPlan,
  store: ResultStore,
  submissions: readonly Submission[],
  { retryFailed = false, ...asks }: ClusterOptions & { readonly retryFailed?: boolean },
): Promise<{
  readonly units: readonly RaisedUnit[];
  readonly counts: RunCounts;
  /** By unit: how its runs that had failed were killed, which counts no more once it is sent. */
  readonly retried: ReadonlyMap<string, readonly Attempt[]>;
}> {
  const { plan } = growing;
  const before = new Set(store.ids()); // what ends while the queue is asked is found below, by its record
  const queue = await viewQueue(submissions, (run) => before.has(run));
  if (queue.silence !== undefined) {
    throw new RunError('QUEUE_UNKNOWN', `Which runs are still on their way is not known: ${queue.silence}`, {
      where: store.folder,
      hint: 'Nothing was submitted. Try again when the cluster answers.',
    });
  }
  const units = unitsOf(plan.runs);
  const states = runStates(
    store,
    plan.runs.map(({ id }) => id),
    queue,
    (run) => units.get(run)!,
  );
  const outcomes = outcomesIn(store);
  const isSettled = ({ id, definition }: PlannedRun): boolean =>
    states.get(id)!.state === 'done' || (definition.trial !== undefined && outcomes(id) !== undefined);
  const secondsOf = expectedSeconds(growing, store, isSettled);
  const searches = new Map(growing.searches().map((search) => [search.runs[0]!.id, search]));
  const members = groupBy(plan.runs, ({ id }) => units.get(id)!);
  const past = { store: store.folder, attempts: attemptsOf(store.folder), submissions };
  const asked: RaisedUnit[] = [];
  const retried = new Map<string, readonly Attempt[]>();
  const counts = { total: plan.runs.length + (plan.toCome ?? 0), done: 0, busy: 0, failed: 0 };
  for (const [id, runs] of members) {
    const left = runs.filter((run) => !isSettled(run));
    const toCome = searches.get(id)?.toCome ?? 0;
    counts.done += runs.length - left.length;
    const is = (...names: readonly RunState['state'][]): boolean =>
      left.some((run) => names.includes(states.get(run.id)!.state));
    if (left.length + toCome === 0) continue;
    // of a search whose last trial has just ended, the task is still at work
    const isBusy = is('running', 'queued') || (left.length === 0 && isOnItsWay(queue.taskOf(id)));
    if (isBusy) counts.busy += left.length + toCome;
    else if (is('failed') && !retryFailed) counts.failed += left.length + toCome;
    else {
      const ids = left.map((run) => run.id);
      if (is('failed')) {
        const tries = ids.flatMap((run) => past.attempts.get(run) ?? []);
        retried.set(
          id,
          tries.filter(({ end }) => end === 'none'),
        );
      }
      asked.push({ id, seconds: secondsOf(left, toCome), raised: raisedDemand(ids, past, asks) });
    }
  }
  return { units: asked, counts, retried };
}

const isOnItsWay = (queued: ReturnType<Awaited<ReturnType<typeof viewQueue>>['taskOf']>): boolean =>
  queued !== undefined &&
  queued !== 'unknown' &&
  !/^(COMPLETED|FAILED|CANCELLED|TIMEOUT)/.test(queued.task.state);

/** Of runs, by the records of this store and of the quick form of the study beside it. */
function expectedSeconds(
  growing: GrowingPlan,
  store: ResultStore,
  isDone: (run: PlannedRun) => boolean,
): (runs: readonly PlannedRun[], toCome: number) => number | null {
  const quick = openStore(`${store.folder}-quick`);
  const records = [...quick.readAll().records, ...store.readAll().records];
  const { secondsOf } = outlookOf(growing.plan, records, { isDone, store: store.folder });
  const searched = records.filter(isTrial);
  const trial =
    searched.length > 0
      ? searched.reduce((sum, { cost }) => sum + Object.values(cost.seconds).reduce((a, b) => a + b, 0), 0) /
        searched.length
      : null;
  return (runs, toCome) => {
    const known = runs.map(({ id }) => secondsOf.get(id) ?? null);
    if (known.includes(null) || (toCome > 0 && trial === null)) return null;
    return known.reduce<number>((sum, seconds) => sum + seconds!, 0) + toCome * (trial ?? 0);
  };
}
