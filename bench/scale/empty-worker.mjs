// Stands for what computes runs: a run computes nothing, loads no engine, and has its record.
import { hostname } from 'node:os';

export async function startComputing(data, { store, emit }) {
  return async ({ run, index, total }) => {
    emit({ type: 'run-started', run, index, total });
    const now = new Date().toISOString();
    const record = {
      ...{ schema: 'gondwana-run/1', id: run.id, attempt: `${hostname()}-${process.pid}`, arm: run.arm },
      ...{
        study: data.plan.study.name,
        definition: run.definition,
        dataHash: 'none',
        counts: {},
        inputs: [],
      },
      ...{ scores: [], curve: [], selectedEpoch: null, examples: [], versions: data.versions, job: data.job },
      cost: {
        ...{ parameters: 0, trainableParameters: 0, seconds: {}, peakResidentBytes: 0 },
        processes: data.processes,
      },
      engine: {
        ...{ name: 'cpu', library: 'none', api: 'none', device: 'none', threads: 1, processor: 'none' },
        notices: [],
      },
      ...{ startedAt: now, finishedAt: now },
    };
    await store.publish(record);
    emit({ type: 'run-finished', record, index, total });
    return true;
  };
}
