// Stands for the study worker in the tasks of a cluster, by GONDWANA_STUDY_WORKER: loads no engine, computes nothing, and
// publishes a record for each run. What a run does stands in GONDWANA_STAND_IN, JSON by seed:
//   { "fail": true }      throws
//   { "eat": true }       takes memory until it is killed
//   { "work": MS }        takes so long; asked to stop, it keeps how far it is and goes on from there
//   { "until": FILE }     waits for a file
//   { "heedless": true }  does not stop when asked to
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { openStore } from '../../dist/results/store.js';

const acts = JSON.parse(process.env.GONDWANA_STAND_IN ?? '{}');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const send = (message) => process.connected && process.send(message);
const emit = (event) => send({ type: 'event', event });
const errorOf = (error) => ({
  code: error.code ?? 'INTERNAL',
  message: error.message,
  where: error.where ?? '',
  hint: error.hint ?? '',
  exitCode: error.exitCode ?? 1,
});

let data;
let isStopped = false;
const waiting = [];
let wake;
process.on('message', (message) => {
  if (message.type === 'stop') isStopped = true;
  else waiting.push(message);
  wake?.();
});
process.on('SIGTERM', () => (isStopped = true));
process.on('SIGINT', () => undefined);
process.on('disconnect', () => (isStopped = true));

async function next() {
  while (waiting.length === 0) {
    if (!process.connected) process.exit(0);
    await new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, 1000).unref(); // the channel keeps the process alive
    });
  }
  return waiting.shift();
}

async function compute(run) {
  const { work = 0, until, fail, eat, heedless } = acts[String(run.definition.seed)] ?? {};
  if (fail) throw Object.assign(new Error('the loss is NaN'), { code: 'LOSS_NOT_FINITE' });
  const held = [];
  while (eat) {
    held.push(Buffer.alloc(2e7, 1));
    await sleep(20);
  }
  const state = path.join(data.store, 'progress', `${run.id}.json`);
  let done = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : 0;
  const resumedAt = done;
  while (done < work || (until !== undefined && !existsSync(until))) {
    if (isStopped && !heedless) {
      mkdirSync(path.dirname(state), { recursive: true });
      writeFileSync(state, JSON.stringify(done));
      throw Object.assign(new Error('stopped'), { code: 'STOPPED', exitCode: 130 });
    }
    await sleep(50);
    done += 50;
  }
  return resumedAt;
}

function recordOf(run, startedAt, resumedAt) {
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

async function serve() {
  ({ data } = await next());
  const store = openStore(data.store);
  for (;;) {
    send({ type: 'idle' });
    const message = await next();
    if (message.type !== 'run') return;
    const { run, index, total } = message;
    emit({ type: 'run-started', run, index, total });
    const startedAt = Date.now();
    try {
      const record = recordOf(run, startedAt, await compute(run));
      const how = await store.publish(record);
      process.stderr.write(`${run.id} ${how}\n`);
      emit({ type: 'run-finished', record, index, total });
    } catch (error) {
      if (error.code === 'STOPPED') throw error;
      emit({ type: 'run-failed', run, error: errorOf(error) });
    }
  }
}

await serve().catch((error) => send({ type: 'fatal', error: errorOf(error) }));
if (process.connected) process.disconnect();
