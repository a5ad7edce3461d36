import { rm } from 'node:fs/promises';
import path from 'node:path';
import { cellSignal } from '../display/kernel-link.js';
import { showAs } from '../display/showable.js';
import { errorData, errorFromData, RunError, StoppedError } from '../errors.js';
import { openStore, type ResultStore } from '../results/store.js';
import type { RunRecord } from '../results/run-record.js';
import type { GrowingPlan } from './growing-plan.js';
import { layOutStudy, planStudy } from './plan-study.js';
import { prepareStore, writePlan } from './prepare-store.js';
import { followingRuns, outcomeOfEvent, outcomesIn, type SearchState } from './replay-search.js';
import { failedBundle, failedRow, resultBundle } from './study-sheets.js';
import type {
  FailedRun,
  PlannedRun,
  StudyDefinition,
  StudyEvent,
  StudyPlan,
  StudyResult,
  StudyRunOptions,
} from './study.js';
import { softwareVersions } from './versions.js';
import { computeRuns, workersWanted } from './worker-pool.js';

export { planStudy } from './plan-study.js';

/**
 * Computes what the store of a study does not hold yet, in processes of their own. Finished runs are published one
 * by one, so that a stop, a kill or a failure costs at most the run in progress; a run that fails does not keep
 * the others from running.
 * @throws InputError STORE_TAKEN; StoppedError once `signal` (default: that of the notebook's cell) is aborted; InputError, RunError: what all runs failed with, where none could
 *   finish; RunError WORKER_DIED; UsageError OPTION_VALUE
 */
export async function runStudy(study: StudyDefinition, options: StudyRunOptions = {}): Promise<StudyResult> {
  const { quick = false, onEvent = () => undefined } = options;
  const signal = cellSignal(options.signal);
  workersWanted(); // refused before anything is told or written
  const growing = await layOutStudy(study, { quick });
  const store = openStore(options.store ?? path.join('results', growing.plan.study.name));
  return takingTurns(growing.plan, store, signal, onEvent, () => {
    return fillStore(growing, store, signal, onEvent);
  });
}

const atWork = new Map<string, Promise<unknown>>();

/**
 * A study that is started again while it is at work in this process (a cell that forgot `await`, run once more) waits
 * for the first: nothing is computed twice.
 * @throws StoppedError
 */
async function takingTurns<T>(
  plan: StudyPlan,
  store: ResultStore,
  signal: AbortSignal | undefined,
  onEvent: (event: StudyEvent) => void,
  work: () => Promise<T>,
): Promise<T> {
  const folder = path.resolve(store.folder);
  const others = atWork.get(folder);
  if (others) onEvent({ type: 'notice', text: `${store.folder} is being filled already: waiting for that.` });
  const turn = othersEnd(others, signal, () => stoppedWith(store, plan)).then(work);
  const settled = Promise.allSettled([others, turn]);
  atWork.set(folder, settled);
  try {
    return await turn;
  } finally {
    void settled.then(() => atWork.get(folder) === settled && atWork.delete(folder));
  }
}

/** Waits until others have ended, in whatever way. @throws what `stopped` makes once the signal is aborted */
async function othersEnd(
  others: Promise<unknown> | undefined,
  signal: AbortSignal | undefined,
  stopped: () => Error,
): Promise<void> {
  if (!others) return;
  const stop = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(stopped());
    signal?.addEventListener('abort', () => reject(stopped()), { once: true });
  });
  await Promise.race([others, stop]);
}

async function fillStore(
  growing: GrowingPlan,
  store: ResultStore,
  signal: AbortSignal | undefined,
  onEvent: (event: StudyEvent) => void,
): Promise<StudyResult> {
  await prepareStore(growing, store, onEvent);
  const { plan } = growing;
  const { toCome = 0 } = plan;
  const done = new Set(store.ids());
  // a trial that failed is made up for by another: it is not tried again
  const settled = outcomesIn(store);
  const missing = plan.runs.filter(
    ({ id, definition }) => !done.has(id) && !(definition.trial && settled(id)),
  );
  const total = plan.runs.length + toCome;
  const finished = plan.runs.length - missing.length;
  onEvent({ type: 'plan', total, finished, missing, ...(toCome > 0 && { toCome }) });

  const failed: FailedRun[] = [];
  let hasFinished = false;
  const notes: Promise<void>[] = [];
  if (missing.length > 0) {
    const versions = await softwareVersions();
    await computeRuns({
      ...{ plan, store: store.folder, versions, isCheck: false, runs: missing, toCome, signal },
      onEvent(event) {
        if (event.type === 'run-failed') {
          if (!outcomeOfEvent(event)) failed.push(showAs(event, { bundle: failedBundle, row: failedRow }));
          // a note that cannot be written must not hide the failure itself
          notes.push(store.noteFailure(event.run.id, event.error).catch(() => undefined));
        }
        hasFinished ||= event.type === 'run-finished';
        onEvent(event);
      },
      following: (event) => followingRuns(growing, event),
    })
      .catch((error: unknown) => {
        throw error instanceof StoppedError ? stoppedWith(store, growing.plan) : error;
      })
      .finally(() => Promise.all(notes))
      .finally(() => plan.searches && writePlan(store, growing.plan));
  }
  failed.push(...hopelessTrials(growing, store));
  if (missing.length > 0 && !hasFinished) throwCommonFailure(failed, missing.length);
  if (missing.length > 0 && failed.length === 0) await removeScratch(store);
  const records = growing.plan.runs.map(({ id }) => store.read(id)).filter((record) => record !== undefined);
  return showAs<StudyResult>(
    { plan: growing.plan, store: store.folder, records, failed },
    { bundle: resultBundle },
  );
}

/** Of each search without a score the last trial that failed, or the last one. */
function hopelessTrials(growing: GrowingPlan, store: ResultStore): FailedRun[] {
  const searches = growing.hopeless();
  if (searches.length === 0) return [];
  const failures = store.failures();
  return searches.map(({ runs, trials }): FailedRun => {
    const run = runs.findLast(({ id }) => failures.has(id)) ?? runs.at(-1)!;
    const error = failures.get(run.id) ?? errorData(searchWithoutScore(run, trials));
    return showAs<FailedRun>({ run, error }, { bundle: failedBundle, row: failedRow });
  });
}

function searchWithoutScore({ arm, definition }: PlannedRun, trials: SearchState['trials']): RunError {
  const counts = ['complete', 'pruned', 'failed'].map(
    (state) => `${trials.filter((trial) => trial.state === state).length} ${state}`,
  );
  return new RunError('SEARCH_WITHOUT_SCORE', `No trial gave a score (${counts.join(', ')}).`, {
    where: `${arm} on ${definition.dataset}`,
    hint: 'Search lower learning rates, and look at the labels of the validation split.',
  });
}

/** What only runs that are still to be computed need: features of frozen encoders, states of stopped runs. */
async function removeScratch({ folder }: ResultStore): Promise<void> {
  for (const name of ['features', 'progress'])
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined); // it is in nobody's way
}

/** Says what a stopped study leaves: its finished runs can be read, and the next start goes on from them. */
function stoppedWith(store: ResultStore, { runs, toCome = 0 }: StudyPlan): StoppedError {
  const finished = new Set(store.ids());
  const done = runs.filter(({ id }) => finished.has(id)).length;
  return new StoppedError(
    `The study was stopped. ${done} of ${runs.length + toCome} runs are finished and kept.`,
    {
      where: store.folder,
      hint: 'openStore(…).readAll() reads them; the same run(…) goes on with the others.',
    },
  );
}

/** One batch of every arm, end to end, nothing kept. Returns the runs that failed. */
export async function tryArms(
  study: StudyDefinition,
  options: Pick<StudyRunOptions, 'signal' | 'onEvent'> = {},
): Promise<{ records: RunRecord[]; failed: FailedRun[] }> {
  const { onEvent = () => undefined } = options;
  const signal = cellSignal(options.signal);
  workersWanted();
  const whole = await planStudy({ ...study, seeds: study.seeds.slice(0, 1) });
  // of a search the first trial stands for all
  const runs = whole.runs.filter(({ definition: { trial } }) => trial === undefined || trial.number === 0);
  const plan: StudyPlan = { ...whole, runs };
  const records: RunRecord[] = [];
  const failed: FailedRun[] = [];
  onEvent({ type: 'plan', total: plan.runs.length, finished: 0, missing: plan.runs });
  const versions = await softwareVersions();
  await computeRuns({
    ...{ plan, store: null, versions, isCheck: true, runs: plan.runs, signal },
    onEvent(event) {
      if (event.type === 'run-finished') records.push(event.record);
      if (event.type === 'run-failed') failed.push(event);
      onEvent(event);
    },
  });
  return { records, failed };
}

/** Where every run failed for one and the same reason, that reason is the study's. */
function throwCommonFailure(failed: readonly FailedRun[], attempted: number): void {
  const first = failed[0]?.error;
  if (!first || failed.length < attempted) return;
  const isCommon = failed.every(({ error }) => error.code === first.code && error.message === first.message);
  if (isCommon) throw errorFromData(first);
}
