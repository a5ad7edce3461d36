import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { tmpdir } from 'node:os';
import { openStore } from '../../src/results/store.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { isAlive } from '../support/notebook.js';

/**
 * The main job on real images, quick form: killed once, interrupted once, then finished. The tests build on each
 * other, as the three starts of one job do.
 */
const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-job-'));
afterAll(() => rmSync(folder, { recursive: true }));
const storeFolder = path.join(folder, 'store');
const report = path.join(folder, 'report', 'index.html');
const args = ['run', 'quickstart', '--quick', '--store', storeFolder, '--report', report];
const store = openStore(storeFolder);

function start(): ChildProcess {
  return spawn(process.execPath, [path.join(root, 'tools', 'gondwana.mjs'), ...args], { stdio: 'ignore' });
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('close', (code) => resolve(code)));

async function untilRecords(count: number, child: ChildProcess): Promise<void> {
  while (store.ids().length < count) {
    if (child.exitCode !== null)
      throw new Error(`the job ended with ${child.exitCode} before ${count} records`);
    await sleep(100);
  }
}

/** Processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Content and time of every record: a run that is computed again would change both. */
const fingerprints = (): Map<string, string> =>
  new Map(
    store.ids().map((id) => {
      const file = path.join(storeFolder, 'records', id.slice(0, 2), `${id}.json`);
      return [id, `${statSync(file).mtimeMs} ${readFileSync(file, 'utf8')}`];
    }),
  );

const scoreOf = (record: RunRecord, split: string, evaluation = 'tiles', place = 'all'): number =>
  record.scores.find(
    (row) =>
      row.split === split && row.evaluation === evaluation && row.place === place && row.metric === 'mIoU',
  )!.value!;

/** Of what computes for minutes: other tests share the processors. */
const LONG = { timeout: 900_000 };

describe('the main job', () => {
  it('killed after its first run leaves that record whole and nothing half-written', async () => {
    const child = start();
    await untilRecords(1, child);
    await sleep(1500); // into the second run
    const workers = childrenOf(child.pid!);
    expect(workers.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await ended(child);
    // what it had started ends by itself, at the next step
    const deadline = performance.now() + 20_000;
    while (workers.some(isAlive) && performance.now() < deadline) await sleep(100);
    expect(workers.filter(isAlive)).toEqual([]);
    expect(store.readAll().damaged).toEqual([]);
    expect(store.ids().length).toBeGreaterThanOrEqual(1);
    expect(existsSync(report)).toBe(false);
  });

  it('interrupted by Ctrl-C ends with 130 and keeps what was finished', async () => {
    const before = fingerprints();
    const child = start();
    await untilRecords(before.size + 1, child);
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
    for (const [id, content] of before) expect(fingerprints().get(id)).toBe(content);
  });

  it(
    'started again computes only what is missing, and ends with report, tables and exit code 0',
    LONG,
    async () => {
      const before = fingerprints();
      const { code, stdout, stderr } = await gondwana([...args, '--json']);
      expect(stderr).not.toContain('INTERNAL');
      expect(code).toBe(0);
      const after = fingerprints();
      for (const [id, content] of before) expect(after.get(id)).toBe(content);
      expect(after.size).toBe(7);
      const temporary = readdirSync(storeFolder, { recursive: true }).filter((name) =>
        /\.tmp|temporary/.test(String(name)),
      );
      expect(temporary).toEqual([]);
      expect(JSON.parse(stdout)).toMatchObject({ study: 'quickstart' });
      for (const name of ['index.html', 'results.csv', 'results.parquet']) {
        expect(existsSync(path.join(path.dirname(report), name))).toBe(true);
      }
    },
  );

  it('finds that every pre-trained arm beats the trivial predictors in-domain', () => {
    const { records } = store.readAll();
    const trivial = records
      .filter(({ definition }) => definition.encoder === 'none')
      .map((record) => scoreOf(record, 'test'));
    expect(trivial).toHaveLength(2);
    const pretrained = records.filter(({ definition }) => definition.weights !== null);
    expect(pretrained).toHaveLength(4);
    // with three epochs the reference implementation has 0.57 to 0.65 here; all background has 0.34
    for (const record of pretrained)
      expect(scoreOf(record, 'test')).toBeGreaterThan(Math.max(...trivial) + 0.1);
  });

  it('scores the trivial predictors as their class shares say', () => {
    for (const record of store.readAll().records.filter(({ definition }) => definition.encoder === 'none')) {
      const support = (split: string, name: string): number =>
        record.scores.find(
          (row) =>
            row.split === split &&
            row.place === 'all' &&
            row.evaluation === 'tiles' &&
            row.metric === 'support' &&
            row.className === name,
        )!.value!;
      for (const split of ['test', 'away']) {
        const [background, crown] = [support(split, 'background'), support(split, 'crown')];
        const predicted = record.definition.settings.predictedClass === 0 ? background : crown;
        expect(scoreOf(record, split)).toBeCloseTo(predicted / (background + crown) / 2, 12);
      }
    }
  });

  it('counts the tiles that the reference implementation cuts', () => {
    const first = store.readAll().records.find(({ definition }) => definition.encoder !== 'none');
    const samples = Object.fromEntries(
      Object.entries(first!.counts).map(([split, count]) => [split, count.samples]),
    );
    expect(samples).toEqual({ train: 77, validation: 11, test: 22, away: 22 });
  });

  it('reports out-of-domain scores place by place, on tiles and over whole images', () => {
    const record = store.readAll().records.find(({ arm }) => arm === 'frozen, z-score')!;
    for (const evaluation of ['tiles', 'sliding-window']) {
      const places = record.scores
        .filter((row) => row.split === 'away' && row.evaluation === evaluation && row.metric === 'mIoU')
        .map(({ place }) => place);
      expect(places).toEqual(['all', 'YELL 541000', 'OSBS 029', 'SOAP 061']);
    }
    const whole = record.scores.filter(
      (row) => row.split === 'test' && row.evaluation === 'sliding-window' && row.metric === 'support',
    );
    expect(whole.reduce((sum, { value }) => sum + value!, 0)).toBe(2472 * (2299 - 1792));
  });

  it('shows inputs near mean 0 and spread 1 where it says z-score, and those of the file where it says none', () => {
    for (const { arm, inputs } of store
      .readAll()
      .records.filter(({ definition }) => definition.encoder !== 'none')) {
      expect(inputs.map(({ band }) => band)).toEqual(['red', 'green', 'blue']);
      for (const { mean, standardDeviation } of inputs) {
        if (arm.includes('z-score')) {
          // 32 of the 77 tiles, whose means differ by about 0.5: their mean lies within three times 0.5 / √32
          expect(Math.abs(mean)).toBeLessThan(0.27);
          expect(Math.abs(standardDeviation - 1)).toBeLessThan(0.27);
        } else {
          expect(mean).toBeGreaterThan(20);
        }
      }
    }
  });

  it('writes in every record what was run with what', () => {
    for (const { engine, versions, dataHash, definition, cost, selectedEpoch } of store.readAll().records) {
      expect(engine.threads).toBeGreaterThan(0);
      expect(versions.gondwana).toMatch(/^\d+\.\d+\.\d+/);
      expect(dataHash).toMatch(/^[0-9a-f]{64}$/);
      expect(definition.datasetManifest).toMatch(/^[0-9a-f]{64}$/);
      if (definition.encoder === 'none') continue;
      expect(selectedEpoch).toBeGreaterThanOrEqual(1);
      expect(cost.seconds.train).toBeGreaterThan(0);
      expect(cost.trainableParameters).toBe(
        definition.settings.encoderMode === 'frozen' ? 866_306 : cost.parameters,
      );
    }
  });
});

/** Fourteen runs of about a second, frozen, fine-tuned and normalised or not. */
const smoke = path.join(root, 'studies', 'smoke.ts');

describe('a study', () => {
  it('gives the same numbers again: same engine, same thread count', LONG, async () => {
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const target = path.join(folder, name);
        const { code } = await gondwana(['run', smoke, '--store', target, '--json'], {
          env: { GONDWANA_WORKERS: '1', TF_NUM_INTRAOP_THREADS: '2' },
        });
        expect(code).toBe(0);
        const { records } = openStore(target).readAll();
        return new Map(
          records.map(({ id, scores, curve }) => [
            id,
            { scores, losses: curve.map(({ trainLoss }) => trainLoss) },
          ]),
        );
      }),
    );
    expect(first!.size).toBe(14);
    expect(second).toEqual(first);
  });

  it('is checked by one batch of every arm, end to end, and keeps nothing', async () => {
    const { code, stdout } = await gondwana(['run', smoke, '--check', '--json'], { cwd: folder });
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { arms: unknown[] }).arms.length).toBeGreaterThan(3);
    expect(existsSync(path.join(folder, 'results'))).toBe(false);
  });
});
