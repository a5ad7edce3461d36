import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compactStore, readRunScores } from '../../src/results/compact.js';
import { openStore } from '../../src/results/store.js';
import { recordScores } from '../../src/statistics/record-scores.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';
import { tempFolder } from '../support/temp-folder.js';

const records = syntheticRecords();

async function filledStore(): Promise<string> {
  const folder = tempFolder();
  const store = openStore(folder);
  for (const record of records) await store.publish(record);
  return folder;
}

const jsonFiles = (folder: string): string[] =>
  readdirSync(path.join(folder, 'records'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.json'));

const inSegments = (folder: string, ending: string): string => {
  const name = readdirSync(path.join(folder, 'segments')).find((file) => file.endsWith(ending));
  return path.join(folder, 'segments', name!);
};

test('what is read from a store is the same before and after its records are put together', async () => {
  const folder = await filledStore();
  const before = openStore(folder);
  const [all, ids] = [before.readAll().records, before.ids()];
  const { compacted, segments, damaged } = await compactStore(folder);
  expect([compacted, segments.length, damaged]).toEqual([records.length, 1, []]);
  expect(jsonFiles(folder)).toEqual([]);
  for (const store of [before, openStore(folder)]) {
    expect(store.readAll().records).toEqual(all);
    expect(store.ids()).toEqual(ids);
    expect(store.read(ids[0]!)).toEqual(all.find(({ id }) => id === ids[0]));
    expect(store.read('0'.repeat(16))).toBeUndefined();
  }
});

test('a run that is in a segment keeps its record; a further run is put beside it and read with it', async () => {
  const folder = await filledStore();
  await compactStore(folder);
  const store = openStore(folder);
  expect(await store.publish({ ...records[0]!, attempt: 'later' })).toBe('kept-first');
  const other = { ...records[0]!, id: 'ff'.repeat(8) };
  expect(await store.publish(other)).toBe('published');
  expect(store.readAll().records).toHaveLength(records.length + 1);
  expect((await compactStore(folder)).compacted).toBe(1);
  expect(store.readAll().records).toHaveLength(records.length + 1);
  expect(await compactStore(folder)).toMatchObject({ compacted: 0, segments: [] });
});

test('records that a killed compaction left twice are read once, and removed by the next', async () => {
  const folder = await filledStore();
  const file = path.join(folder, 'records', jsonFiles(folder)[0]!);
  const content = readFileSync(file);
  await compactStore(folder);
  writeFileSync(file, content);
  expect(openStore(folder).readAll().records).toHaveLength(records.length);
  expect(await readRunScores(folder)).toHaveLength(records.length);
  expect((await compactStore(folder)).segments).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test.each([1, 0])(
  'trials of a search are none of the scores of a compacted store, beside %i other runs',
  async (others) => {
    const folder = tempFolder();
    const store = openStore(folder);
    const trial = { search: 'own', digest: 'd', number: 0 };
    const [first, second] = records;
    await store.publish({ ...first!, definition: { ...first!.definition, trial } });
    if (others > 0) await store.publish(second!);
    expect(await readRunScores(folder)).toHaveLength(others);
    await compactStore(folder);
    expect(await readRunScores(folder)).toHaveLength(others);
    expect(openStore(folder).readAll().records).toHaveLength(others + 1);
  },
);

test('damaged records stay and are named; the rest is put together', async () => {
  const folder = await filledStore();
  const name = jsonFiles(folder)[0]!;
  writeFileSync(path.join(folder, 'records', name), '{"half');
  const { compacted, damaged } = await compactStore(folder);
  expect(compacted).toBe(records.length - 1);
  expect(damaged).toEqual([path.join('records', name)]);
  expect(jsonFiles(folder)).toEqual([name]);
});

test('records that a damaged segment has too are not removed but put into a new one, and it takes no run’s place', async () => {
  const folder = await filledStore();
  const loose = jsonFiles(folder).map(
    (name) => [name, readFileSync(path.join(folder, 'records', name))] as const,
  );
  await compactStore(folder);
  const segment = inSegments(folder, '.ndjson.gz');
  writeFileSync(segment, 'damage');
  expect(await openStore(folder).publish(records[0]!)).toBe('published');
  expect(openStore(folder).read(records[0]!.id)).toEqual(records[0]);
  for (const [name, content] of loose) {
    mkdirSync(path.dirname(path.join(folder, 'records', name)), { recursive: true });
    writeFileSync(path.join(folder, 'records', name), content);
  }
  expect((await compactStore(folder)).segments).toHaveLength(1);
  expect(openStore(folder).readAll()).toMatchObject({ damaged: [], records: { length: records.length } });
});

test.each([
  ['emptied', (file: string) => writeFileSync(file, '')],
  [
    'one line short',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(1).join('\n')),
  ],
  [
    'a folder',
    (file: string) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
])('a list of ids that is %s names its segment', async (_, damage) => {
  const folder = await filledStore();
  await compactStore(folder);
  damage(inSegments(folder, '.ids'));
  const { records: read, damaged } = openStore(folder).readAll();
  expect(read).toEqual([]);
  expect(damaged).toHaveLength(1);
  expect(damaged[0]!.file).toMatch(/^segments\/[0-9a-f]{16}\.ndjson\.gz$/);
});

test('a damaged segment is named, and the rest still reads', async () => {
  const folder = await filledStore();
  await compactStore(folder);
  const store = openStore(folder);
  await store.publish({ ...records[0]!, id: 'ff'.repeat(8) });
  writeFileSync(inSegments(folder, '.ndjson.gz'), 'nothing');
  const { records: rest, damaged } = openStore(folder).readAll();
  expect(rest.map(({ id }) => id)).toEqual(['ff'.repeat(8)]);
  expect(damaged).toEqual([
    { file: expect.stringMatching(/^segments.*gz$/) as string, reason: 'The segment cannot be unpacked.' },
  ]);
  expect(() => openStore(folder).read(records[0]!.id)).toThrow(
    expect.objectContaining({ code: 'RECORD_INVALID' }),
  );
});

test('scores come from the columns of segments and from loose records alike', async () => {
  const folder = await filledStore();
  const sorted = (rows: Awaited<ReturnType<typeof readRunScores>>): string[] =>
    rows.map((row) => JSON.stringify(row)).sort();
  const before = sorted(await readRunScores(folder));
  expect(before).toEqual(sorted(recordScores(records)));
  await compactStore(folder);
  expect(sorted(await readRunScores(folder))).toEqual(before);
  expect((await readRunScores(folder, { model: 'arm' }))[0]!.model).toBeTypeOf('string');
});
