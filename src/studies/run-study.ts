import path from 'node:path';
import { errorFromData } from '../errors.js';
import { openStore } from '../results/store.js';
import type { RunRecord } from '../results/run-record.js';
import { planStudy } from './plan-study.js';
import type { FailedRun, StudyDefinition, StudyResult, StudyRunOptions } from './study.js';
import { softwareVersions } from './versions.js';
import { computeRuns } from './worker-pool.js';

export { planStudy } from './plan-study.js';

/**
 * Computes what the store of a study does not hold yet, in processes of their own. Finished runs are published one
 * by one, so that a stop, a kill or a failure costs at most the run in progress; a run that fails does not keep
 * the others from running.
 * @throws StoppedError once `signal` is aborted; InputError, RunError: what all runs failed with, where none could
 *   finish; RunError WORKER_DIED
 */
export async function runStudy(study: StudyDefinition, options: StudyRunOptions = {}): Promise<StudyResult> {
  const { quick = false, signal, onEvent = () => undefined } = options;
  const plan = await planStudy(study, { quick });
  const store = openStore(options.store ?? path.join('results', plan.study.name));
  await store.writePlan(plan);
  for (const { file, reason } of await store.setAsideDamaged()) {
    onEvent({
      type: 'notice',
      text: `${file} was damaged and is set aside; its run is computed again. ${reason}`,
    });
  }
  const done = new Set(store.ids());
  const missing = plan.runs.filter(({ id }) => !done.has(id));
  onEvent({ type: 'plan', total: plan.runs.length, finished: plan.runs.length - missing.length });

  const failed: FailedRun[] = [];
  const notes: Promise<void>[] = [];
  if (missing.length > 0) {
    const versions = await softwareVersions();
    await computeRuns({
      ...{ plan, store: store.folder, versions, isCheck: false, runs: missing, signal },
      onEvent(event) {
        if (event.type === 'run-failed') {
          failed.push(event);
          // a note that cannot be written must not hide the failure itself
          notes.push(store.noteFailure(event.run.id, event.error).catch(() => undefined));
        }
        onEvent(event);
      },
    }).finally(() => Promise.all(notes));
    throwCommonFailure(failed, missing.length);
  }
  const records = plan.runs.map(({ id }) => store.read(id)).filter((record) => record !== undefined);
  return { plan, store: store.folder, records, failed };
}

/** One batch of every arm, end to end, nothing kept. Returns the runs that failed. */
export async function tryArms(
  study: StudyDefinition,
  { signal, onEvent = () => undefined }: Pick<StudyRunOptions, 'signal' | 'onEvent'> = {},
): Promise<{ records: RunRecord[]; failed: FailedRun[] }> {
  const plan = await planStudy({ ...study, seeds: study.seeds.slice(0, 1) });
  const records: RunRecord[] = [];
  const failed: FailedRun[] = [];
  onEvent({ type: 'plan', total: plan.runs.length, finished: 0 });
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
