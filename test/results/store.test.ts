import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/results/run-record.js';
import { openStore } from '../../src/results/store.js';
import { syntheticPlan, syntheticRecords, writeSyntheticStore } from '../fixtures/results/synthetic-store.js';

let scratch: string;
let writer: string;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'store-'));
  // a child process cannot run TypeScript sources
  writer = path.join(scratch, 'writer.mjs');
  await build({
    stdin: { contents: WRITER, resolveDir: path.dirname(fileURLToPath(import.meta.url)), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: writer,
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
  });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

// publishes runs 0 … COUNT − 1 of the folder under the attempt's name, and says which were its own
const WRITER = `
import { openStore } from '../../src/results/store.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';
const [folder, attempt, count] = process.argv.slice(2);
const store = openStore(folder);
const [record] = syntheticRecords({ seeds: [0], trivial: false });
const won = [];
for (let i = 0; i < Number(count); i++) {
  const id = i.toString(16).padStart(2, '0') + 'f'.repeat(30);
  if ((await store.publish({ ...record, id, attempt })) === 'published') won.push(id);
  if (i === 0) process.send?.('started');
}
process.send?.(won);
process.disconnect?.();
`;

const start = (folder: string, attempt: string, count: number): ChildProcess =>
  fork(writer, [folder, attempt, String(count)]);
const firstMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('message', resolve));
const result = (child: ChildProcess): Promise<string[]> =>
  new Promise((resolve, reject) => {
    child.on('message', (message) => Array.isArray(message) && resolve(message as string[]));
    child.on('exit', (code) => code && reject(new Error(`the writer ended with ${code}`)));
  });
const folderFor = (name: string): string => path.join(scratch, name);
const oneRecord = (): RunRecord => syntheticRecords({ seeds: [0], trivial: false })[0]!;
const fileOf = (id: string): string => path.join('records', id.slice(0, 2), `${id}.json`);

test('a record comes back as it was published, under the first two digits of its id', async () => {
  const store = openStore(folderFor('round-trip'));
  const record = oneRecord();
  expect(store.ids()).toEqual([]);
  expect(store.read(record.id)).toBeUndefined();
  expect(await store.publish(record)).toBe('published');
  expect(store.read(record.id)).toEqual(record);
  expect(store.ids()).toEqual([record.id]);
  expect(JSON.parse(readFileSync(path.join(store.folder, fileOf(record.id)), 'utf8'))).toEqual(record);
});

test('the first record of a run stays, and a second attempt is told so', async () => {
  const store = openStore(folderFor('first'));
  const record = oneRecord();
  await store.publish({ ...record, attempt: 'a' });
  expect(await store.publish({ ...record, attempt: 'b' })).toBe('kept-first');
  expect(store.read(record.id)!.attempt).toBe('a');
});

test('two processes that publish 200 runs at once win each run exactly once', async () => {
  const folder = folderFor('race');
  const [a, b] = await Promise.all([result(start(folder, 'a', 200)), result(start(folder, 'b', 200))]);
  expect(a.length + b.length).toBe(200);
  expect(new Set([...a, ...b]).size).toBe(200);
  const { records, damaged } = openStore(folder).readAll();
  expect(damaged).toEqual([]);
  expect(records.filter((record) => record.attempt === 'a').map((record) => record.id)).toEqual(a);
  const leftOver = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tmp'),
  );
  expect(leftOver).toEqual([]);
}, 30_000);

test('a writer killed while it writes leaves whole records only, and a later writer completes them', async () => {
  const folder = folderFor('killed');
  for (const waitMs of [5, 40, 90]) {
    const child = start(folder, `killed-${waitMs}`, 256);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await firstMessage(child);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    child.kill('SIGKILL');
    await ended;
    expect(openStore(folder).readAll().damaged).toEqual([]);
  }
  const before = openStore(folder).ids().length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(256);
  const won = await result(start(folder, 'last', 256));
  expect(won.length).toBe(256 - before);
  expect(openStore(folder).readAll().records).toHaveLength(256);
}, 30_000);

describe('damage', () => {
  test('truncated, foreign and misnamed records are named with a reason, and the others still read', async () => {
    const store = openStore(folderFor('damage'));
    const records = syntheticRecords({ seeds: [0], trivial: false });
    for (const record of records) await store.publish(record);
    const file = (i: number): string => path.join(store.folder, fileOf(records[i]!.id));
    const text = readFileSync(file(0), 'utf8');
    writeFileSync(file(0), text.slice(0, text.length / 2));
    writeFileSync(file(1), JSON.stringify({ ...records[1], scores: [{ split: 'test' }] }));
    writeFileSync(file(2), readFileSync(file(3)));
    const { records: read, damaged } = store.readAll();
    expect(read.map((record) => record.id).sort()).toEqual([records[3]!.id, records[4]!.id].sort());
    const reasons = Object.fromEntries(damaged.map((entry) => [entry.file, entry.reason]));
    expect(reasons[fileOf(records[0]!.id)]).toMatch(/not JSON, or not all of it/);
    expect(reasons[fileOf(records[1]!.id)]).toMatch(/scores\.0\.place/);
    expect(reasons[fileOf(records[2]!.id)]).toContain(records[3]!.id);
    expect(() => store.read(records[0]!.id)).toThrowError(
      expect.objectContaining({ code: 'RECORD_INVALID' }) as Error,
    );
  });

  test('damaged records can be set aside, so that their runs count as missing', async () => {
    const store = openStore(folderFor('aside'));
    const record = oneRecord();
    await store.publish(record);
    writeFileSync(path.join(store.folder, fileOf(record.id)), '{');
    expect((await store.setAsideDamaged()).map((entry) => entry.file)).toEqual([fileOf(record.id)]);
    expect(store.ids()).toEqual([]);
    expect(
      readdirSync(path.join(store.folder, 'damaged')).filter((name) => name.startsWith(record.id)),
    ).toHaveLength(1);
  });

  test('publishing a run whose file is damaged replaces it', async () => {
    const store = openStore(folderFor('replace'));
    const record = oneRecord();
    await store.publish({ ...record, attempt: 'old' });
    writeFileSync(path.join(store.folder, fileOf(record.id)), 'not a record');
    expect(await store.publish({ ...record, attempt: 'new' })).toBe('published');
    expect(store.read(record.id)!.attempt).toBe('new');
  });

  test('an empty file is the claim of another process: neither a record nor damaged while it is fresh', async () => {
    const store = openStore(folderFor('claim'));
    const record = oneRecord();
    const file = path.join(store.folder, fileOf(record.id));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    expect(store.readAll()).toEqual({ records: [], damaged: [] });
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(file, longAgo, longAgo);
    expect(store.readAll().damaged).toHaveLength(1);
    expect(await store.publish(record)).toBe('published');
  });

  test('temporary names of killed processes are passed over, and removed once they are a day old', async () => {
    const store = openStore(folderFor('stale'));
    const record = oneRecord();
    const folder = path.dirname(path.join(store.folder, fileOf(record.id)));
    mkdirSync(folder, { recursive: true });
    const name = (random: string): string =>
      path.join(folder, `.${record.id}.json.elsewhere-12345678.4711.${random}.tmp`);
    writeFileSync(name('aaaaaaaaaaaa'), '{"half');
    writeFileSync(name('bbbbbbbbbbbb'), '{"half');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(name('aaaaaaaaaaaa'), twoDaysAgo, twoDaysAgo);
    expect(store.ids()).toEqual([]);
    await store.publish(record);
    expect(readdirSync(folder).sort()).toEqual(
      [path.basename(name('bbbbbbbbbbbb')), `${record.id}.json`].sort(),
    );
  });
});

describe('what may not be written', () => {
  test('NaN and infinite scores become null; the same in a loss makes the record invalid', async () => {
    const store = openStore(folderFor('non-finite'));
    const record = oneRecord();
    const [row] = record.scores;
    const scores = [Number.NaN, Infinity, -Infinity, 0.5].map((value) => ({ ...row!, value }));
    const curve = record.curve.map((epoch) => ({ ...epoch, validationScore: Number.NaN }));
    await store.publish({ ...record, scores, curve });
    const read = store.read(record.id)!;
    expect(read.scores.map((score) => score.value)).toEqual([null, null, null, 0.5]);
    expect(read.curve.every((epoch) => epoch.validationScore === null)).toBe(true);
    const withLoss = {
      ...record,
      id: 'ab'.repeat(16),
      curve: [{ ...record.curve[0]!, trainLoss: Number.NaN }],
    };
    await expect(store.publish(withLoss)).rejects.toMatchObject({ code: 'RECORD_INVALID' });
    expect(store.ids()).toEqual([record.id]);
  });

  test('an invalid record is refused before anything is written', async () => {
    const store = openStore(folderFor('invalid'));
    const record = { ...oneRecord(), id: '../../escape' };
    await expect(store.publish(record)).rejects.toMatchObject({
      code: 'RECORD_INVALID',
      message: expect.stringContaining('id:') as string,
    });
    const example = {
      id: 'x',
      split: 'test',
      place: 'all',
      image: '../secret.png',
      truth: 'a',
      prediction: 'b',
      score: 1,
    };
    await expect(store.publish({ ...oneRecord(), examples: [example] })).rejects.toMatchObject({
      code: 'RECORD_INVALID',
    });
    expect(() => readdirSync(store.folder)).toThrow();
  });

  test('a full disk is a typed error and leaves no part of a record', async (context) => {
    const mount = folderFor('full');
    mkdirSync(mount);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', mount]);
    if (mounted.status !== 0) return context.skip('needs the right to mount a small tmpfs (root)');
    try {
      const store = openStore(path.join(mount, 'store'));
      const record = oneRecord();
      const big = { ...record, scores: Array.from({ length: 400 }, () => record.scores).flat() };
      await expect(store.publish(big)).rejects.toMatchObject({
        code: 'DISK_FULL',
        where: expect.stringContaining(record.id) as string,
      });
      expect(store.ids()).toEqual([]);
      expect(
        readdirSync(mount, { recursive: true, encoding: 'utf8' }).filter((name) =>
          /\.(tmp|json)$/.test(name),
        ),
      ).toEqual([]);
      expect(await store.publish({ ...record, examples: [], scores: record.scores.slice(0, 3) })).toBe(
        'published',
      );
    } finally {
      spawnSync('umount', [mount]);
    }
  });

  test('a read-only folder can be read, and publishing into it is a typed error', async (context) => {
    const mount = folderFor('read-only');
    mkdirSync(mount);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', mount]);
    if (mounted.status !== 0) return context.skip('needs the right to mount a small tmpfs (root)');
    try {
      const [first, second] = syntheticRecords({ seeds: [0], trivial: false });
      await openStore(mount).publish(first!);
      spawnSync('mount', ['-o', 'remount,ro', mount]);
      expect(openStore(mount).readAll().records).toEqual([first]);
      await expect(openStore(mount).publish(second!)).rejects.toMatchObject({ code: 'READ_ONLY' });
    } finally {
      spawnSync('umount', [mount]);
    }
  });

  test('a file is no store', () => {
    const file = folderFor('a-file');
    writeFileSync(file, '');
    expect(() => openStore(file)).toThrowError(expect.objectContaining({ code: 'NOT_A_FOLDER' }) as Error);
  });
});

test('the plan comes back as it was written, and a damaged line is named', async () => {
  const store = openStore(folderFor('plan'));
  expect(store.readPlan()).toBeUndefined();
  const plan = syntheticPlan(syntheticRecords());
  await store.writePlan(plan);
  expect(store.readPlan()).toEqual(plan);
  const file = path.join(store.folder, 'plan.ndjson');
  const lines = readFileSync(file, 'utf8').split('\n');
  lines[4] = lines[4]!.slice(0, 20);
  writeFileSync(file, lines.join('\n'));
  expect(() => store.readPlan()).toThrowError(
    expect.objectContaining({ code: 'PLAN_DAMAGED', where: `${file}, line 5` }) as Error,
  );
});

test('artifacts are named by their content, stored once, and checked when read', async () => {
  const store = openStore(folderFor('artifacts'));
  const bytes = Uint8Array.from([1, 2, 3]);
  const artifact = await store.putArtifact(bytes, 'png');
  expect(artifact).toBe('artifacts/03/039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81.png');
  expect(await store.putArtifact(bytes, 'png')).toBe(artifact);
  expect([...store.readArtifact(artifact)]).toEqual([1, 2, 3]);
  writeFileSync(path.join(store.folder, artifact), 'xyz');
  expect(() => store.readArtifact(artifact)).toThrowError(
    expect.objectContaining({ code: 'ARTIFACT_DAMAGED' }) as Error,
  );
  writeFileSync(path.join(store.folder, artifact), '');
  await store.putArtifact(bytes, 'png');
  expect([...store.readArtifact(artifact)]).toEqual([1, 2, 3]);
  expect(() => store.readArtifact('artifacts/../../etc/passwd')).toThrowError(
    expect.objectContaining({ code: 'ARTIFACT_PATH' }) as Error,
  );
});

test('the synthetic study holds 15 trained and 2 trivial runs with images', async () => {
  const store = await writeSyntheticStore(folderFor('synthetic'));
  const { records, damaged } = store.readAll();
  expect(damaged).toEqual([]);
  expect(records).toHaveLength(17);
  for (const row of records.flatMap((record) => record.examples))
    expect(store.readArtifact(row.prediction).length).toBeGreaterThan(60);
});

test('runs that share the spelling of their settings come back with their own', async () => {
  const store = openStore(folderFor('shared-settings'));
  const plan = syntheticPlan(syntheticRecords());
  const [one] = plan.runs;
  const withSettings = (id: string, settings: object, own = {}): typeof one =>
    ({ id, arm: 'a', definition: { own, ...one!.definition, settings } }) as unknown as typeof one;
  const [a, b] = [{ epochs: 1, flips: ['x'] }, { epochs: 10 }];
  const runs = [
    withSettings('00000001', a),
    withSettings('00000002', a),
    withSettings('00000003', b),
    withSettings('00000004', a, { settings: 'digest' }), // an earlier member of the same name
    withSettings('00000005', b),
    withSettings('00000006', b),
  ].map((run) => run!);
  await store.writePlan({ ...plan, runs });
  expect(store.readPlan()!.runs).toEqual(runs);
  const file = path.join(store.folder, 'plan.ndjson');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"settings":{', '"settings": {'));
  expect(store.readPlan()!.runs).toEqual(runs);
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n', '\n\n').replace('"00000003"', '3'));
  expect(() => store.readPlan()).toThrow(expect.objectContaining({ where: `${file}, line 4` }) as Error);
});
