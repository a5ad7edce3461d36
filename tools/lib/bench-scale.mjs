// What a task costs beside a plain one, how long the state of ten thousand runs takes to tell, and how long fifty thousand
// records take to read. Writes bench/results/scale.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, round, saveResult } from './bench-peer.mjs';
import { root, say } from './process.mjs';
import { startCluster } from './slurm-cluster.mjs';
import { installSlurm } from './test-needs.mjs';
import { setUp } from '../set-up.mjs';

const TASKS = 100;
/** Of the tasks, for one of all else: half a minute each, and the machine's own changes are as large as what is asked. */
const OVERHEAD_ROUNDS = 2;
const RUNS = 10_000;
const RECORDS = 50_000;
const LIMITS = { overhead: 1.3, statusSeconds: 1, readSeconds: 1 };
const gondwana = path.join(root, 'tools/gondwana.mjs');

const studyOf = (name, runs) => `export default {
  name: '${name}', title: 'How long does nothing take?', datasets: ['neon-crowns'], encoders: ['efficientnet-lite0'],
  decoders: ['unet'], protocol: 'neon-crowns', settings: { encoderMode: 'frozen' },
  seeds: Array.from({ length: ${runs - 2} }, (_, seed) => seed),
};`;

/** Runs the command line. @throws Error where it fails */
function call(args, env, cwd) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [gondwana, ...args, '--json'], {
    ...{ cwd, encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, ...env } },
  });
  if (status !== 0) throw new Error(stderr);
  return { document: JSON.parse(stdout), seconds: (performance.now() - started) / 1000 };
}

/** @returns seconds since `started`, by the clock, until nothing is in the queue */
async function untilIdle(cluster, started) {
  while (cluster.ask('squeue', ['-h', '-o', '%T']).stdout.trim() !== '') await sleep(100);
  return (Date.now() - started) / 1000;
}

/**
 * A study whose runs compute nothing and load no engine, and as many tasks of `node -e 0`, in turn; each from the moment in
 * which Slurm takes the array, and once more with all that the client does before.
 */
async function overhead(cluster, folder, rounds) {
  const study = path.join(folder, 'empty.mjs');
  writeFileSync(study, studyOf('empty', TASKS));
  const env = { ...cluster.env, GONDWANA_STUDY_WORKER: path.join(root, 'bench/scale/empty-worker.mjs') };
  const plainTasks = async () => {
    const started = Date.now();
    const options = ['--array', `0-${TASKS - 1}`, '--output=/dev/null', '--time=10'];
    cluster.ask('sbatch', [...options, '--wrap', `exec ${process.execPath} -e 0`]);
    return { plain: await untilIdle(cluster, started) };
  };
  const ourTasks = async (turn) => {
    const store = path.join(folder, `empty-${turn}`);
    const started = Date.now();
    call(['run', study, '--on', 'slurm', '--store', store, '--pack', '1', '--time', '10'], env, folder);
    // written last of all before Slurm is called
    const called = statSync(path.join(store, 'submissions/0001/intent.json')).mtimeMs;
    const ours = await untilIdle(cluster, called);
    const { done } = call(['status', store], env, folder).document;
    if (done !== TASKS) throw new Error(`${done} of ${TASKS} runs are done`);
    return { ours, client: (called - started) / 1000 };
  };
  const times = [];
  for (let turn = 0; turn < OVERHEAD_ROUNDS * rounds; turn++) {
    const [first, second] = turn % 2 === 0 ? [plainTasks, ourTasks] : [ourTasks, plainTasks];
    const time = { ...(await first(turn)), ...(await second(turn)) };
    say(
      `${TASKS} tasks: ${time.ours.toFixed(1)} s (and ${time.client.toFixed(1)} s before they are submitted), of node -e 0 ${time.plain.toFixed(1)} s`,
    );
    times.push(time);
  }
  return {
    tasks: TASKS,
    oursSeconds: times.map(({ ours }) => round(ours, 2)),
    clientSeconds: times.map(({ client }) => round(client, 2)),
    plainSeconds: times.map(({ plain }) => round(plain, 2)),
    wallRatio: round(median(times.map(({ ours, plain }) => ours / plain))),
    wallRatioWithClient: round(median(times.map(({ ours, client, plain }) => (ours + client) / plain))),
  };
}

/**
 * The command, with ten thousand runs: one of each array at work, asleep, as the nodes of a cluster are no load for the machine
 * on which the command is given; all others wait in the queue.
 */
async function statusTimes(cluster, folder, rounds) {
  const study = path.join(folder, 'big.mjs');
  writeFileSync(study, studyOf('big', RUNS));
  const store = path.join(folder, 'big');
  const env = { ...cluster.env, GONDWANA_STUDY_WORKER: path.join(root, 'bench/scale/waiting-worker.mjs') };
  const ask = ['--on', 'slurm', '--store', store, '--pack', '1', '--time', '10', '--array-limit', '1'];
  const submit = call(['run', study, ...ask], env, folder);
  const attempts = path.join(store, 'attempts');
  for (const end = Date.now() + 60_000; readdirSync(attempts).length < submit.document.chunks.length;) {
    if (Date.now() > end) throw new Error('a minute after they were submitted, some arrays have not begun');
    await sleep(100);
  }
  const times = [];
  let document;
  for (let turn = 0; turn < rounds; turn++) {
    const answer = call(['status', store], env, folder);
    ({ document } = answer);
    times.push(answer.seconds);
  }
  call(['cancel', store], env, folder);
  await untilIdle(cluster, Date.now());
  const { done, running, queued } = document;
  say(
    `status of ${RUNS} runs (${queued} queued): ${median(times).toFixed(2)} s; submitting them ${submit.seconds.toFixed(1)} s`,
  );
  return {
    ...{ runs: RUNS, done, running, queued, submitSeconds: round(submit.seconds, 2) },
    seconds: times.map((time) => round(time, 3)),
    medianSeconds: round(median(times)),
  };
}

/** In a process of its own, as a report is. */
function readTimes(folder, rounds) {
  const times = [];
  for (let turn = 0; turn <= rounds; turn++) {
    const args = ['bench/scale/read-records.mjs', path.join(folder, 'records'), String(RECORDS)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    if (turn > 0) times.push(JSON.parse(stdout)); // the first makes them
  }
  const of = (key) => times.map((time) => time[key]);
  say(
    `${RECORDS} records after compact: their scores ${median(of('scores')).toFixed(2)} s, whole and checked ${median(of('whole')).toFixed(2)} s`,
  );
  return {
    records: RECORDS,
    scoresSeconds: of('scores').map((time) => round(time)),
    wholeSeconds: of('whole').map((time) => round(time)),
    medianScoresSeconds: round(median(of('scores'))),
    medianWholeSeconds: round(median(of('whole'))),
  };
}

/** About three minutes. @returns exit code, 0 where every limit is kept */
export async function scaleBench({ rounds }) {
  await setUp({ engine: false });
  const missing = await installSlurm();
  if (missing) {
    say(`SLURM_MISSING: ${missing}`);
    return 3;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  mkdirSync(path.join(folder, 'cluster'));
  const cluster = await startCluster(path.join(folder, 'cluster'), { memory: 4000 });
  const stop = async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void stop().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143)));
  try {
    const measured = {
      overhead: await overhead(cluster, folder, rounds),
      status: await statusTimes(cluster, folder, rounds),
      read: readTimes(folder, rounds),
    };
    const machine = { processor: cpus()[0]?.model, cores: cpus().length, node: process.version };
    saveResult('scale', { limits: LIMITS, machine, ...measured });
    say('Written: bench/results/scale.json');
    const { overhead: tasks, status, read } = measured;
    say(
      `overhead ${tasks.wallRatio} (limit ${LIMITS.overhead}), status ${status.medianSeconds} s (limit ${LIMITS.statusSeconds}), scores of records ${read.medianScoresSeconds} s (limit ${LIMITS.readSeconds})`,
    );
    const isKept =
      tasks.wallRatio <= LIMITS.overhead &&
      status.medianSeconds <= LIMITS.statusSeconds &&
      read.medianScoresSeconds <= LIMITS.readSeconds;
    return isKept ? 0 : 1;
  } finally {
    await stop();
  }
}
