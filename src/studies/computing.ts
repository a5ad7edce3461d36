import { ENGINE_INSTALL_LINE, startEngine, type EngineInfo } from '../engine/engine.js';
import { isOutOfMemory } from '../engine/out-of-memory.js';
import { errorData, RunError } from '../errors.js';
import type { RunRecord } from '../results/run-record.js';
import { executeRun, forgetProgress } from './execute-run.js';
import { loadPlugin } from './load-plugin.js';
import { proveArmsDiffer } from './prove-arms.js';
import { groupOf } from './rival-arms.js';
import { Session } from './session.js';
import { studyStopped } from './study-stopped.js';
import type { PlannedRun } from './study.js';
import type { Computing, ComputingOptions, StudyWorkerData } from './worker-protocol.js';

/** Starts the engine of this process. See `Computing`. @throws what loading plugins and starting the engine throw */
export const startComputing: Computing = async (data, { store, signal, emit }) => {
  for (const file of data.plugins) await loadPlugin(file);
  const engine = await startEngine();
  for (const text of engine.notices) emit({ type: 'notice', text });
  const session = new Session({
    study: data.plan.study,
    engine,
    versions: data.versions,
    store,
    emit,
    signal,
    isCheck: data.isCheck,
    processes: data.processes,
    job: data.job,
  });
  const proven = new Set<string>();
  return async ({ run, index, total }) => {
    emit({ type: 'run-started', run, index, total });
    try {
      await proveOnce(proven, data, run, session);
      const record = finishedElsewhere(store, run) ?? (await executeRun(run, session));
      await store?.publish(record);
      await forgetProgress(run, session);
      emit({ type: 'run-finished', record, index, total });
    } catch (error) {
      if (signal.aborted) throw studyStopped();
      const failure = errorData(asMemoryError(error, engine));
      emit({ type: 'run-failed', run, error: failure });
      return failure.code !== 'ENGINE_MEMORY';
    }
    return true;
  };
};

/** The record of a run that another start of the study has finished in the meantime. */
function finishedElsewhere(store: ComputingOptions['store'], { id }: PlannedRun): RunRecord | undefined {
  try {
    return store?.read(id);
  } catch {
    return undefined; // a damaged record: publishing sets it aside
  }
}

/** WebAssembly has at most 4 GB and ends with texts of its own when they are used up; TensorFlow goes on. */
function asMemoryError(error: unknown, { name, device }: EngineInfo): unknown {
  if (isOutOfMemory(error)) {
    return new RunError('OUT_OF_MEMORY', `The memory of the ${device} does not hold what a step needs.`, {
      hint: 'Choose a smaller batchSize or inputSize, or freeze the encoder.',
      cause: error,
    });
  }
  if (name !== 'wasm' || !/^Aborted\(|out of bounds|out of memory/i.test((error as Error).message))
    return error;
  return new RunError('ENGINE_MEMORY', 'The wasm engine has used up its 4 GB of memory.', {
    hint: `Install the native engine (${ENGINE_INSTALL_LINE}), freeze the encoder, or choose a smaller batchSize.`,
    cause: error,
  });
}

/** Before the first run of a dataset and encoder: arms that say they differ in their input do. */
async function proveOnce(
  proven: Set<string>,
  { plan }: StudyWorkerData,
  run: PlannedRun,
  session: Session,
): Promise<void> {
  const group = groupOf(run.definition);
  if (proven.has(group)) return;
  await proveArmsDiffer(run, plan.runs, session);
  proven.add(group);
}
