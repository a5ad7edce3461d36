import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/results/store.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { listSubmissions } from '../../src/scale-out/submissions.js';
import type { StudyStatus } from '../../src/studies/study-status.js';
import type { SubmittedStudy } from '../../src/studies/submit-study.js';
import { clusterTool, type Cluster } from '../support/cluster.js';
import { gondwana, type Outcome } from '../support/command-line.js';
import { withFullDisk } from '../support/full-disk.js';
import { root, slurm } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

/**
 * Studies on a real Slurm of this one machine. Its arrays hold 6 tasks, so that the grid of 8 runs needs two. Runs are those
 * of a stand-in, which publishes a record and computes nothing, unless a test says otherwise.
 */
const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-slurm-'));
const standIn = path.join(root, 'test/support/stand-in-study-worker.mjs');
const RUNS = 8;
/** A study of which one run takes longer than its limit. */
const limited = path.join(folder, 'limited');
let cluster: Cluster;
let tool: Awaited<ReturnType<typeof clusterTool>>;

/** Seeds 0 … 5, and the two trivial predictors. */
const study = path.join(folder, 'grid.mjs');
writeFileSync(
  study,
  `import { defineStudy } from 'gondwana';
  export default defineStudy({
    name: 'grid', title: 'Does the queue keep its word?', datasets: ['neon-crowns'], encoders: ['efficientnet-lite0'],
    decoders: ['unet'], protocol: 'neon-crowns', settings: { encoderMode: 'frozen' }, seeds: [0, 1, 2, 3, 4, 5],
  });`,
);

type Acts = Readonly<Record<number, Readonly<Record<string, unknown>>>>;

const call = (args: readonly string[], acts: Acts = {}, env: Record<string, string> = {}): Promise<Outcome> =>
  gondwana([...args, '--json'], {
    cwd: folder,
    env: {
      ...cluster.env,
      GONDWANA_STUDY_WORKER: standIn,
      GONDWANA_STAND_IN: JSON.stringify(acts),
      ...env,
    },
  });

async function answer<T>(
  args: readonly string[],
  acts: Acts = {},
  env: Record<string, string> = {},
): Promise<T> {
  const { code, stdout, stderr } = await call(args, acts, env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

const ASK = ['--on', 'slurm', '--pack', '1', '--time', '10', '--mem', '150', '--cpus', '1'];
const submit = (store: string, acts: Acts = {}, more: readonly string[] = []): Promise<SubmittedStudy> =>
  answer(['run', study, '--store', store, ...ASK, ...more], acts);
const resume = (store: string, acts: Acts = {}, more: readonly string[] = []): Promise<SubmittedStudy> =>
  answer(['resume', store, ...more], acts);
const status = (store: string): Promise<StudyStatus> => answer(['status', store]);
const errorIn = ({ stdout }: Outcome): { code: string; message: string } =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;

const recordCount = (store: string): number => openStore(store).ids().length;
const untilRecords = (store: string, count: number, seconds = 30): Promise<void> =>
  tool.until(() => recordCount(store) >= count, seconds);
/** Tasks of all studies but the one whose time limit comes meanwhile. */
const jobs = (): { job: string; node: string }[] =>
  cluster
    .ask('squeue', ['-h', '-r', '-o', '%A %j %N'])
    .stdout.trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([job, name]) => job && !name!.startsWith('gondwana-limited-'))
    .map(([job, , node]) => ({ job: job!, node: node! }));
/** Begins tasks that were put back at once, which Slurm does after two minutes. */
const hurry = (): void => cluster.hurry(jobs().map(({ job }) => job));
/** What Slurm puts back by itself, it lets wait for two minutes. */
const untilIdle = (seconds = 30): Promise<void> => tool.until(() => (hurry(), jobs().length === 0), seconds);
const newStore = (): string => path.join(tempFolder(), 'store');
const logs = (store: string): string =>
  readdirSync(path.join(store, 'logs'))
    .map((name) => readFileSync(path.join(store, 'logs', name), 'utf8'))
    .join('\n');

/** Every run once, whole, and nothing half-written. */
function expectComplete(store: string, count = RUNS): readonly RunRecord[] {
  const { records, damaged } = openStore(store).readAll();
  expect(damaged).toEqual([]);
  expect(records).toHaveLength(count);
  expect(new Set(records.map(({ id }) => id)).size).toBe(count);
  return records;
}

beforeAll(async () => {
  if (!slurm.isMet) return;
  tool = await clusterTool();
  mkdirSync(path.join(folder, 'cluster'));
  cluster = await tool.startCluster(path.join(folder, 'cluster'), { maxArraySize: 6, memory: 4000 });
  // Slurm's shortest limit is a minute: others are tested meanwhile
  writeFileSync(
    path.join(folder, 'limited.mjs'),
    readFileSync(study, 'utf8').replace("name: 'grid'", "name: 'limited'"),
  );
  const args = ['run', path.join(folder, 'limited.mjs'), '--store', limited, ...ASK, '--time', '1'];
  await answer(args, { 0: { work: 600_000 } });
});
afterEach(() => {
  if (slurm.isMet) for (const { job } of jobs()) cluster.ask('scancel', [job]);
});
afterAll(async () => {
  if (slurm.isMet) await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!slurm.isMet)('a study on Slurm', () => {
  it('is submitted in arrays that the cluster takes, is computed, and is submitted once', async () => {
    // a name that a shell or Slurm would take for something else
    const store = path.join(tempFolder(), `a 'b' "c" $(touch ${folder}/pwned) %j`);
    const dry = await answer<SubmittedStudy>(['run', study, '--store', store, ...ASK, '--dry-run']);
    expect(existsSync(store)).toBe(false);
    expect(dry.script).toContain('#SBATCH --signal=B:TERM@');
    const submitted = await submit(store);
    expect(submitted.chunks.map(({ tasks }) => tasks)).toEqual([6, 2]);
    expect(submitted).toMatchObject({ submitted: RUNS, done: 0, processorHoursAtMost: (RUNS * 10) / 60 });
    const again = await submit(store);
    expect(again.submitted).toBe(0);
    await untilRecords(store, RUNS);
    for (const { job, engine } of expectComplete(store)) {
      expect(job).toMatchObject({ restart: 0, node: expect.stringMatching(/^n[1-4]$/) as string });
      expect(engine.threads).toBe(1);
      expect(readFileSync(path.join(store, job!.log), 'utf8')).toContain('has its record');
    }
    await untilIdle();
    expect(await status(store)).toMatchObject({ done: RUNS, running: 0, queued: 0, failed: 0, missing: 0 });
    expect((await submit(store)).submitted).toBe(0);
    expect((await resume(store)).submitted).toBe(0);
    expect(existsSync(path.join(folder, 'pwned'))).toBe(false);
  });

  it('takes set-up lines, packs runs, and is written as a script that sbatch takes', async () => {
    const store = newStore();
    const setup = path.join(folder, 'setup.sh');
    writeFileSync(
      setup,
      `export GONDWANA_STUDY_WORKER='${standIn}'\nexport GONDWANA_STAND_IN='{"3": {"fail": true}}'\n`,
    );
    const written = await answer<SubmittedStudy>([
      ...['run', study, '--store', store, '--on', 'script', '--pack', '4', '--time', '10'],
      ...['--cpus', '1', '--array-limit', '1', '--setup', setup],
    ]);
    expect(written.chunks).toMatchObject([{ tasks: 2, runs: RUNS, job: null }]);
    expect(jobs()).toEqual([]);
    expect(cluster.ask('sbatch', [written.files[0]!]).stdout).toMatch(/Submitted batch job/);
    await untilRecords(store, RUNS - 1);
    await untilIdle();
    const found = await status(store);
    expect(found).toMatchObject({ done: RUNS - 1, failed: 1, missing: 0 });
    expect(Object.values(found.failures)).toMatchObject([{ code: 'LOSS_NOT_FINITE' }]);
  });

  it('computes a search in one task, each trial after those before, then its repeats, and what was packed with it', async () => {
    const store = newStore();
    const searching = path.join(folder, 'search.mjs');
    writeFileSync(
      searching,
      `import { defineStudy } from 'gondwana';
      export default defineStudy({
        name: 'search', title: 'Which rate?', datasets: ['neon-crowns'], encoders: ['efficientnet-lite0'], decoders: ['unet'],
        protocol: 'neon-crowns', seeds: [0, 1], vary: { encoderMode: ['frozen', 'fine-tuned'] },
        search: { trials: 4, space: { learningRate: { kind: 'float', low: 0.0001, high: 0.1, scale: 'log' } } },
      });`,
    );
    // of each arm 4 trials and 2 repeats, and the two trivial predictors
    const packed = [...ASK, '--pack', '2']; // of the two holds
    const submitted = await answer<SubmittedStudy>(['run', searching, '--store', store, ...packed]);
    expect(submitted).toMatchObject({ total: 14, submitted: 4, chunks: [{ tasks: 2 }] });
    await untilRecords(store, 14);
    await untilIdle();
    expectComplete(store, 14);
    expect(await status(store)).toMatchObject({ total: 14, done: 14, missing: 0 });
    expect((await resume(store)).submitted).toBe(0);
  });

  it('names what failed with its log, and tries it again only when asked to', async () => {
    const store = newStore();
    await submit(store, { 2: { fail: true } });
    await untilRecords(store, RUNS - 1);
    await untilIdle();
    const found = await status(store);
    expect(found).toMatchObject({ done: RUNS - 1, failed: 1 });
    const failed = found.runs.find(({ state }) => state === 'failed')!;
    expect(readFileSync(path.join(store, failed.log!), 'utf8')).toContain('LOSS_NOT_FINITE');
    expect((await resume(store)).submitted).toBe(0);
    expect(await resume(store, {}, ['--retry-failed'])).toMatchObject({ submitted: 1, done: RUNS - 1 });
    await untilRecords(store, RUNS);
    expectComplete(store);
  });

  it('asked to stop, keeps the state of a run and goes on from there; Slurm or the task puts it back', async () => {
    const store = newStore();
    await submit(store, { 1: { work: 5000 }, 4: { work: 5000 } });
    await untilRecords(store, RUNS - 2);
    await tool.until(() => jobs().length === 2, 10);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const [own, slurms] = jobs().map(({ job }) => job) as [string, string];
    cluster.ask('scancel', ['--signal=TERM', '--batch', own]); // a limit that comes near
    cluster.ask('scontrol', ['requeue', slurms]); // a preemption, an administrator
    await tool.until(() => /is back in the queue/.test(logs(store)), 10);
    expect(await status(store)).toMatchObject({ done: RUNS - 2, queued: 2, failed: 0, missing: 0 });
    // Slurm 22.05 may lose a job that ends while it is being put back: the queue is empty then, and `resume` finds the run
    const isSettled = (): boolean => (hurry(), recordCount(store) === RUNS || jobs().length === 0);
    await tool.until(isSettled, 40).catch(() => {
      throw new Error(`${cluster.ask('squeue', ['-r', '-o', '%A %T %r %S']).stdout}\n${logs(store)}`);
    });
    if (recordCount(store) < RUNS) {
      const lost = RUNS - recordCount(store);
      expect(await status(store)).toMatchObject({ missing: lost, failed: 0, queued: 0, running: 0 });
      expect(await resume(store)).toMatchObject({ submitted: lost });
      await untilRecords(store, RUNS);
    }
    const resumed = expectComplete(store).filter(({ versions }) => versions.resumedAt !== '0');
    expect(resumed).toHaveLength(2);
    for (const { versions } of resumed) expect(Number(versions.resumedAt)).toBeGreaterThan(500);
  });

  it('goes on by itself after its time limit', async () => {
    const store = limited;
    // told a quarter of the limit before it, and Slurm may be a minute early
    await tool.until(() => /is back in the queue/.test(logs(store)), 75);
    expect(logs(store)).not.toContain('DUE TO TIME LIMIT');
    expect(readdirSync(path.join(store, 'progress'))).toHaveLength(1);
    expect(await status(store)).toMatchObject({ done: RUNS - 1, queued: 1, failed: 0, missing: 0 });
    expect(await answer(['cancel', store])).toMatchObject({ tasks: 1 });
  });

  it('cancelled, ends, stays away, and is resumed from the state that it kept', async () => {
    const store = newStore();
    await submit(store, { 0: { work: 60_000 }, 5: { work: 60_000 } });
    await untilRecords(store, RUNS - 2);
    expect(await answer(['cancel', store])).toMatchObject({ tasks: 2, done: RUNS - 2 });
    await untilIdle();
    expect(logs(store)).not.toContain('is back in the queue');
    expect(await status(store)).toMatchObject({ done: RUNS - 2, failed: 0, missing: 2, queued: 0 });
    expect(await resume(store)).toMatchObject({ submitted: 2 });
    await untilRecords(store, RUNS);
    expect(expectComplete(store).filter(({ versions }) => versions.resumedAt !== '0')).toHaveLength(2);
  });

  it('calls a run failed that was killed three times for its memory, and no other', async () => {
    const store = newStore();
    const acts = { 4: { eat: true } };
    await submit(store, acts);
    for (let kill = 1; kill <= 3; kill++) {
      await untilRecords(store, RUNS - 1);
      await untilIdle();
      const failed = kill === 3 ? 1 : 0;
      const found = await status(store);
      expect(found).toMatchObject({ done: RUNS - 1, failed, missing: 1 - failed });
      const log = found.runs.find(({ state }) => state !== 'done')!.log!;
      expect(readFileSync(path.join(store, log), 'utf8')).toContain('exceeded memory limit');
      expect((await resume(store, acts)).submitted).toBe(1 - failed);
    }
    expect(Object.values((await status(store)).failures)).toMatchObject([{ code: 'RUN_KILLED' }]);
    // twice of what was asked for, once
    const { submissions } = listSubmissions(store);
    expect(submissions.map(({ raised }) => raised?.mem)).toEqual([undefined, undefined, '300', '300']);
    expect((await resume(store, {}, ['--retry-failed', '--mem', '300'])).submitted).toBe(1);
    await untilRecords(store, RUNS);
    expectComplete(store);
  });

  it('survives a node: the queue begins its tasks elsewhere, and a ghost that publishes late changes nothing', async () => {
    const store = newStore();
    const gate = path.join(tempFolder(), 'gate');
    await submit(store, { 3: { until: gate, heedless: true } });
    await untilRecords(store, RUNS - 1);
    await tool.until(() => jobs().length === 1, 10);
    const node = jobs()[0]!.node;
    cluster.kill(node);
    // Slurm misses the node after ten seconds; its process lives on
    await tool.until(() => (hurry(), /restart 1/.test(logs(store))), 60);
    writeFileSync(gate, '');
    await untilRecords(store, RUNS);
    await tool.until(() => (logs(store).match(/has its record/g) ?? []).length === RUNS + 1, 15);
    expectComplete(store);
    cluster.startNode(node);
    await tool.until(() => cluster.isUp(), 30);
  });

  it('says "queue unknown" of a controller that is dead, and never that runs are lost', async () => {
    const store = newStore();
    const gate = path.join(tempFolder(), 'gate');
    await submit(store, { 0: { until: gate }, 1: { until: gate } });
    await untilRecords(store, RUNS - 2);
    await cluster.stopController();
    try {
      const [found, refused] = await Promise.all([status(store), call(['resume', store])]);
      expect(found).toMatchObject({ done: RUNS - 2, unknown: 2, missing: 0, failed: 0, running: 0 });
      expect(found.queueUnknown).toMatch(/does not answer/);
      expect(refused.code).toBe(1);
      expect(errorIn(refused).code).toMatch(/QUEUE_UNKNOWN|SLURM_SILENT/);
      // records count whatever the controller does
      writeFileSync(gate, '');
      await untilRecords(store, RUNS);
      expect(await status(store)).toMatchObject({ done: RUNS, unknown: 0, queueUnknown: null });
    } finally {
      await cluster.restartController();
    }
  });

  describe('whose client is killed', () => {
    const SBATCH = spawnSync('which', ['sbatch'], { encoding: 'utf8' }).stdout.trim();

    /** Puts a script before `sbatch` on the PATH. */
    function withSbatch(script: string): Record<string, string> {
      const bin = path.join(tempFolder(), 'bin');
      mkdirSync(bin);
      writeFileSync(path.join(bin, 'sbatch'), `#!/bin/sh\n${script}\n`);
      chmodSync(path.join(bin, 'sbatch'), 0o755);
      return { PATH: `${bin}${path.delimiter}${process.env.PATH!}` };
    }

    it.each([
      ['before Slurm hears of the first array', 'kill -9 $PPID', 0],
      ['after Slurm has taken the first array', `${SBATCH} "$@"; kill -9 $PPID`, 6],
      ['while Slurm takes the first array', `kill -9 $PPID; sleep 1; exec ${SBATCH} "$@"`, 6],
    ])('%s, nothing is lost and nothing twice', async (_when, script, taken) => {
      const store = newStore();
      const { code } = await call(['run', study, '--store', store, ...ASK], {}, withSbatch(script));
      expect(code).toBe(null);
      // a job that Slurm took after it was given up begins nothing
      expect([RUNS, RUNS - taken]).toContain((await resume(store)).submitted);
      await untilRecords(store, RUNS);
      await untilIdle();
      expectComplete(store);
      expect(logs(store).match(/has its record/g)).toHaveLength(RUNS);
    });

    it('between folder and intent, the number is left out', async () => {
      const store = newStore();
      mkdirSync(path.join(store, 'submissions/0001'), { recursive: true });
      const { chunks } = await submit(store);
      expect(chunks.map(({ submission }) => submission)).toEqual(['0002', '0003']);
      await untilRecords(store, RUNS);
    });
  });

  it('of a folder that is read-only sends nothing', async () => {
    const disk = tempFolder();
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
    try {
      spawnSync('mount', ['-o', 'remount,ro', disk]);
      const refused = await call(['run', study, '--store', path.join(disk, 'store'), ...ASK]);
      expect(refused.code).toBe(3);
      expect(errorIn(refused).code).toBe('READ_ONLY');
      expect(jobs()).toEqual([]);
    } finally {
      spawnSync('umount', [disk]);
    }
  });

  withFullDisk(
    'on a disk that runs full keeps what is finished and goes on when there is room',
    async (disk) => {
      const store = path.join(disk, 'store');
      const gate = path.join(tempFolder(), 'gate');
      await submit(store, { 0: { until: gate }, 1: { until: gate } });
      await untilRecords(store, RUNS - 2);
      spawnSync('dd', ['if=/dev/zero', `of=${path.join(disk, 'filler')}`, 'bs=64k']);
      writeFileSync(gate, '');
      await untilIdle();
      expectComplete(store, RUNS - 2);
      const refused = await call(['resume', store, '--retry-failed']);
      expect(refused.code).toBe(1);
      expect(errorIn(refused).code).toBe('DISK_FULL');
      rmSync(path.join(disk, 'filler'));
      expect((await resume(store, {}, ['--retry-failed'])).submitted).toBe(2);
      await untilRecords(store, RUNS);
      await untilIdle();
      expectComplete(store);
    },
  );

  it('that another user has submitted is read, and neither executed nor cancelled', async () => {
    const store = newStore();
    const gate = path.join(tempFolder(), 'gate');
    const [mark, setup] = [path.join(folder, 'executed'), path.join(folder, 'foreign.sh')];
    writeFileSync(setup, '# nothing\n');
    await submit(store, { 0: { until: gate } }, ['--setup', setup]);
    await untilRecords(store, RUNS - 1);
    const plugin = path.join(folder, 'foreign.mjs');
    writeFileSync(
      plugin,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`,
    );
    for (const name of readdirSync(path.join(store, 'submissions'))) {
      const file = path.join(store, 'submissions', name, 'intent.json');
      const intent = JSON.parse(readFileSync(file, 'utf8')) as { demand: object };
      const changed = {
        ...intent,
        plugins: [plugin],
        demand: { ...intent.demand, setup: `touch '${mark}'\n` },
      };
      writeFileSync(file, JSON.stringify(changed));
      chownSync(file, 12_345, 12_345);
    }
    expect(await status(store)).toMatchObject({ done: RUNS - 1, running: 1 });
    const refused = await call(['cancel', store]);
    expect(refused.code).toBe(3);
    expect(errorIn(refused).code).toBe('NOT_YOURS');
    expect((await answer<SubmittedStudy>(['resume', store, '--on', 'slurm'])).submitted).toBe(0);
    writeFileSync(gate, '');
    await untilRecords(store, RUNS);
    expect(existsSync(mark)).toBe(false);
  });
});

describe.skipIf(!slurm.isMet)('a study that is killed for its memory by the kernel', () => {
  it('loses that run alone', async () => {
    if (!(await clusterTool()).canLimitMemory()) return;
    const other = path.join(folder, 'cgroup-cluster');
    mkdirSync(other);
    const limited = await tool.startCluster(other, { enforce: 'cgroup', port: 17_400, nodes: 1 });
    try {
      const store = newStore();
      const args = ['run', study, '--store', store, ...ASK, '--pack', '8'];
      const { code, stderr } = await call(args, { 0: { eat: true } }, { ...limited.env });
      expect(code, stderr).toBe(0);
      await untilRecords(store, RUNS - 1);
      await tool.until(() => limited.ask('squeue', ['-h']).stdout.trim() === '', 20);
      const found = await answer<StudyStatus>(['status', store], {}, { ...limited.env });
      expect(found).toMatchObject({ done: RUNS - 1, failed: 1 });
      expect(Object.values(found.failures)).toMatchObject([{ code: 'WORKER_DIED' }]);
    } finally {
      await limited.stop();
    }
  });
});

describe.skipIf(!slurm.isMet)('the engine in tasks', () => {
  it('gives the records of the local pool but for times and places, threads being the same', async () => {
    const local = newStore();
    const far = newStore();
    const smoke = path.join(root, 'studies/smoke.ts');
    const env = { GONDWANA_STUDY_WORKER: undefined, TF_NUM_INTRAOP_THREADS: '1', GONDWANA_WORKERS: '1' };
    const start = (args: readonly string[]): Promise<Outcome> =>
      gondwana([...args, '--json'], { cwd: folder, env: { ...cluster.env, ...env } });
    const cluster4 = ['--on', 'slurm', '--cpus', '1', '--mem', '1500', '--pack', '1', '--time', '10'];
    const sent = await start(['run', smoke, '--quick', '--store', far, ...cluster4]);
    expect(sent.code, sent.stderr).toBe(0);
    const ours = await start(['run', smoke, '--quick', '--store', local]);
    expect(ours.code, ours.stderr).toBe(0);
    const wanted = expectComplete(local, recordCount(local));
    await untilRecords(far, wanted.length, 90);
    const found = expectComplete(far, wanted.length);
    const byId = (records: readonly RunRecord[]): object[] =>
      records.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(timeless);
    expect(byId(found)).toEqual(byId(wanted));
  });
});

function timeless({ attempt, startedAt, finishedAt, job, ...record }: RunRecord): object {
  void [attempt, startedAt, finishedAt, job];
  const { seconds: _seconds, peakResidentBytes: _peak, ...cost } = record.cost;
  return { ...record, cost, curve: record.curve.map(({ seconds: _own, ...row }) => row) };
}
