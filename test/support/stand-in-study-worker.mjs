// Stands for what computes runs in the tasks of a cluster, by GONDWANA_STUDY_WORKER: loads no engine, computes nothing, and
// publishes a record for each run. What a run does stands in GONDWANA_STAND_IN, JSON by seed:
//   { "fail": true }      throws
//   { "eat": true }       takes memory until it is killed
//   { "work": MS }        takes so long; asked to stop, it keeps how far it is and goes on from there
//   { "until": FILE }     waits for a file
//   { "heedless": true }  does not stop when asked to
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { errorData, RunError, StoppedError } from '../../dist/errors.js';

const acts = JSON.parse(process.env.GONDWANA_STAND_IN ?? '{}');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function compute(run, data, signal) {
  const { work = 0, until, fail, eat, heedless } = acts[String(run.definition.seed)] ?? {};
  if (fail) throw new RunError('LOSS_NOT_FINITE', 'The loss is NaN.');
  const held = [];
  while (eat) {
    held.push(Buffer.alloc(2e7, 1));
    await sleep(20);
  }
  const state = path.join(data.store, 'progress', `${run.id}.json`);
  let done = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : 0;
  const resumedAt = done;
  while (done < work || (until !== undefined && !existsSync(until))) {
    if (signal.aborted && !heedless) {
      mkdirSync(path.dirname(state), { recursive: true });
      writeFileSync(state, JSON.stringify(done));
      throw new StoppedError('Stopped.');
    }
    await sleep(50);
    done += 50;
  }
  return resumedAt;
}

function recordOf(run, data, startedAt, resumedAt) {
  return {
    schema: 'gondwana-run/1',
    id: run.id,
    attempt: `${hostname()}-${process.pid}-${startedAt}`,
    study: data.plan.study.name,
    arm: run.arm,
    definition: run.definition,
    dataHash: 'none',
    counts: { train: { samples: 1, pixels: 1 } },
    inputs: [],
    scores: [
      {
        ...{ split: 'test', place: 'all', evaluation: 'whole', metric: 'mIoU', className: null },
        value: (run.definition.seed ?? 0) / 1000,
      },
    ],
    curve: [],
    selectedEpoch: null,
    // the nearer to 0.01, the better
    ...(run.definition.trial && {
      trial: {
        ...{ state: 'complete', reports: [] },
        value: 1 / (1 + Math.abs(Math.log10(run.definition.settings.learningRate) + 2)),
      },
    }),
    examples: [],
    cost: {
      ...{ parameters: 0, trainableParameters: 0, seconds: { train: (Date.now() - startedAt) / 1000 } },
      ...{ peakResidentBytes: process.memoryUsage.rss(), processes: data.processes },
    },
    ...(data.job && { job: data.job }),
    engine: {
      ...{ name: 'cpu', library: 'none', api: 'none', device: 'cpu', processor: 'none', notices: [] },
      threads: Number(process.env.TF_NUM_INTRAOP_THREADS),
    },
    versions: { ...data.versions, resumedAt: String(resumedAt) },
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date().toISOString(),
  };
}

export async function startComputing(data, { store, signal, emit }) {
  return async ({ run, index, total }) => {
    emit({ type: 'run-started', run, index, total });
    const startedAt = Date.now();
    try {
      const record = recordOf(run, data, startedAt, await compute(run, data, signal));
      const how = await store.publish(record);
      process.stderr.write(`${run.id} ${how}\n`);
      emit({ type: 'run-finished', record, index, total });
    } catch (error) {
      if (error instanceof StoppedError) throw error;
      emit({ type: 'run-failed', run, error: errorData(error) });
    }
    return true;
  };
}
