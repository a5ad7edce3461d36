import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decode, encode } from 'fast-png';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderReport } from '../../src/report/document.js';
import { decodeLabels, OVERLAY_COLORS, predictionOverlay, truthOverlay } from '../../src/report/overlay.js';
import { writeReport } from '../../src/report/write-report.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { syntheticPlan, syntheticRecords, writeSyntheticStore } from '../fixtures/results/synthetic-store.js';

let scratch: string;
beforeAll(() => void (scratch = mkdtempSync(path.join(tmpdir(), 'report-'))));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const records = syntheticRecords();
/** The page without the script that draws charts. */
const withoutScript = (page: string): string => page.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
const textOf = (page: string): string =>
  withoutScript(page)
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ');
const render = async (input: Parameters<typeof renderReport>[0]): Promise<string> =>
  textOf(await renderReport(input));

test('the page answers first, shows every part, and each table says what its numbers stand for', async () => {
  const page = withoutScript(await renderReport({ records, plan: syntheticPlan(records) }));
  const text = textOf(page);
  expect(text.indexOf('4 of 5 differences in mIoU on test')).toBeLessThan(text.indexOf('Scores'));
  for (const id of ['scores', 'differences', 'places', 'convergence', 'classes', 'inputs', 'cost', 'runs'])
    expect(page).toContain(`<section id="${id}">`);
  expect(page.match(/<div class="scroll"/g)!.length).toBeGreaterThan(10);
  for (const [, context] of page.matchAll(/<\/table><\/div>\s*<p class="context">([\s\S]*?)<\/p>/g))
    expect(context).toMatch(/neon-crowns|class –/);
  expect(text).toContain(records[0]!.dataHash);
  expect(text).toContain(records[0]!.definition.weights!);
  expect(text).toContain('native-cpu, TensorFlow 2.21.0, tfjs 4.22.0');
  expect(text).toContain('In every learned arm: batch size 8, epochs 6, input size 48, learning rate 0.001');
  expect(text).toContain('3,863,552');
});

test('one seed, missing arms, and records of another plan still make a page that says so', async () => {
  const one = syntheticRecords({ seeds: [1], arms: ['frozen, z-score', 'fine-tuned, z-score'] });
  const text = await render({
    records: one,
    plan: syntheticPlan(records),
    options: {
      failed: [
        {
          id: records.find(({ arm, definition }) => arm === 'frozen, none' && definition.seed === 2)!.id,
          arm: 'frozen, none',
          seed: 2,
          message: 'LOSS_NAN: the loss is not finite',
        },
      ],
    },
    damaged: [{ file: 'records/ab/abc.json', reason: 'The file is empty.' }],
  });
  expect(text).toContain('12 runs of 17 are missing');
  expect(text).toContain('from scratch, z-score: seeds 0, 1, 2');
  expect(text).toContain('fine-tuned, z-score: seeds 0, 2');
  expect(text).toContain('1 run failed. frozen, none, seed 2: LOSS_NAN');
  expect(text).toContain('records/ab/abc.json: The file is empty.');
  expect(text).not.toMatch(/± 0\.000|NaN|undefined|Infinity/);
  const foreign = await render({ records, plan: syntheticPlan(one) });
  expect(foreign).toContain('13 records in the store belong to no run of the present plan');
});

test('places have their size, their unweighted mean, and words for both', async () => {
  // 20, 1 and 1 tiles of 48 px, as pixels of two classes
  const tiles: Record<string, number> = { 'YELL-541': 20, 'OSBS-029': 1, 'SOAP-061': 1, all: 22 };
  const sized = records.map((record) => ({
    ...record,
    definition: { ...record.definition, settings: { ...record.definition.settings, windowStride: 48 } },
    scores: record.scores.map((row) =>
      row.metric === 'support' && row.split === 'away'
        ? { ...row, value: tiles[row.place]! * 48 * 48 * (row.className === 'crown' ? 0.25 : 0.75) }
        : row,
    ),
  }));
  const text = await render({ records: sized });
  expect(text).toMatch(
    /YELL-541 20 tiles, 46,080 px OSBS-029 1 tile, 2,304 px SOAP-061 1 tile, 2,304 px mean of places all together 22 tiles, 50,688 px/,
  );
  expect(text).toContain('Mean of places: every place weighs the same.');
  expect(text).toContain(
    'windows of 48 px, at most 48 px apart, so that they overlap only where the image is no multiple',
  );
  // without whole tiles, pixels alone
  expect(await render({ records })).toContain('YELL-541 1,103,872 px');
});

test('bold is explained, and stands for no trivial predictor, no tie in the digits and no single run', async () => {
  const bold = async (shown: readonly RunRecord[]): Promise<string[]> =>
    [...(await renderReport({ records: shown })).matchAll(/<strong>([\d.]+) <span/g)].map(
      ([, value]) => value!,
    );
  const withScore = (of: (record: RunRecord) => number): RunRecord[] =>
    records.map((record) => ({
      ...record,
      scores: record.scores.map((row) => ({ ...row, value: of(record) })),
    }));
  const isTrivial = (record: RunRecord): boolean => record.definition.seed === null;
  const index = (record: RunRecord): number =>
    new Set(records.map(({ arm }) => arm)).size -
    [...new Set(records.map(({ arm }) => arm))].indexOf(record.arm);
  expect(new Set(await bold(withScore((record) => (isTrivial(record) ? 0.9 : 0.1 * index(record)))))).toEqual(
    new Set(['0.700']),
  );
  expect(
    await bold(withScore((record) => (isTrivial(record) ? 0.9 : 0.5 + 0.00001 * index(record)))),
  ).toEqual([]);
  expect(await bold(syntheticRecords({ seeds: [1] }))).toEqual([]);
  expect(await render({ records })).toContain('Bold: highest mean of the learned arms.');
  const one = await render({ records: syntheticRecords({ seeds: [1] }) });
  expect(one).not.toContain('Bold:');
  expect(one).not.toContain('one in twenty');
  expect(one).toContain('One run an arm gives no interval.');
});

test('words for what was varied, for phases that an arm has not, and for trivial predictors', async () => {
  const text = await render({
    records: records.map((record) => ({
      ...record,
      cost: { ...record.cost, seconds: { features: 0.00001, ...record.cost.seconds } },
    })),
  });
  expect(text).toContain(
    'Intervals are not corrected for their number: with 10 differences, about one in twenty intervals of true zeros excludes 0 by chance.',
  );
  expect(text).not.toMatch(/normalization (z-score|none)|z-score beats none|larger than its/);
  expect(text).toContain('z-score beats no normalisation');
  expect(text).toContain('efficientnet-lite0 (none: trivial predictors)');
  expect(text).toContain('unet (constant: trivial predictors)');
  expect(text).toMatch(/fine-tuned, z-score 4,652,008 4,652,008 1\.2 –/);
  expect(text).toMatch(/frozen, z-score 4,652,008 1,280,002 1\.2 6\.1/);
});

test('no records, with and without a plan, make a page without charts or script', async () => {
  const page = await renderReport({ records: [], plan: syntheticPlan(records) });
  expect(textOf(page)).toContain('No run has finished yet, of 17 planned');
  expect(page).not.toContain('<script');
  expect(await render({ records: [] })).toContain('No run has finished yet');
});

test('records without scores, curves and inputs make a page', async () => {
  const bare = records.map((record) => ({ ...record, scores: [], curve: [], inputs: [], counts: {} }));
  expect(await render({ records: bare })).toContain('The runs on neon-crowns hold no scores.');
});

test('two datasets have their own answers and tables', async () => {
  const other = records.map((record) => ({
    ...record,
    definition: { ...record.definition, dataset: 'mados' },
  }));
  const text = await render({ records: [...records, ...other] });
  expect(text).toContain('on test (mados, tiles)');
  expect(text).toContain('on test (neon-crowns, tiles)');
});

test('z-scored inputs that are not near 0 and 1 are called out', async () => {
  const off = records.map((record): RunRecord =>
    record.arm === 'frozen, z-score'
      ? { ...record, inputs: record.inputs.map((input) => ({ ...input, mean: 0.4 })) }
      : record,
  );
  const text = await render({ records: off });
  expect(text).toContain(
    'The inputs of “frozen, z-score” are said to be z-scored, but red has mean 0.400 and spread 1.000',
  );
  expect(await render({ records })).not.toContain('said to be z-scored');
});

test('names with markup cannot leave their place', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'';
  const hostile = records.map((record) => ({
    ...record,
    arm: `${record.arm}${evil}`,
    study: evil,
    versions: { [evil]: evil },
    definition: {
      ...record.definition,
      dataset: evil,
      settings: { ...record.definition.settings, [evil]: evil },
    },
    scores: record.scores.map((row) => ({
      ...row,
      place: row.place === 'all' ? 'all' : evil + row.place,
      className: row.className && evil,
    })),
    inputs: record.inputs.map((input) => ({ ...input, band: evil })),
  }));
  const page = await renderReport({ records: hostile, damaged: [{ file: evil, reason: evil }] });
  const clean = await renderReport({ records });
  const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  expect(count(page, /<script/gi)).toBe(count(clean, /<script/gi));
  expect(count(page, /<\/script/gi)).toBe(count(clean, /<\/script/gi));
  expect(withoutScript(page)).not.toContain('<img');
});

test('the page fetches nothing: its policy allows no network and no evaluation, and no address is loaded', async () => {
  const page = await renderReport({ records });
  expect(page).toContain('default-src &#39;none&#39;');
  expect(page).not.toContain('unsafe-eval');
  expect(withoutScript(page)).not.toMatch(/(src|href)="(?!#|data:)/);
  expect(page.length).toBeLessThan(2_500_000);
});

test('overlays tell hits, misses and false alarms apart and leave pixels without a truth alone', () => {
  // 4 × 2 px: background hit, hit, miss, false alarm / no truth said object, no truth, wrong class, background
  const map = (data: number[]) => ({ width: 4, height: 2, data: Uint8Array.from(data) });
  const truth = map([0, 1, 1, 0, 255, 255, 2, 0]);
  const png = decode(predictionOverlay(truth, map([0, 1, 0, 1, 1, 0, 1, 0])));
  const pixel = (i: number): number[] => [...png.data.subarray(i * 4, i * 4 + 3)];
  const alpha = Array.from({ length: 8 }, (_, i) => png.data[i * 4 + 3]! > 0);
  expect(alpha).toEqual([false, true, true, true, false, false, true, false]);
  expect([pixel(1), pixel(2), pixel(3), pixel(6)]).toEqual([
    OVERLAY_COLORS.hit,
    OVERLAY_COLORS.miss,
    OVERLAY_COLORS['false-alarm'],
    OVERLAY_COLORS.miss,
  ]);
  expect([png.width, png.height, decode(truthOverlay(truth)).height]).toEqual([4, 2, 2]);
  expect(() => predictionOverlay(truth, { width: 2, height: 4, data: new Uint8Array(8) })).toThrow(
    /2 × 4 px/,
  );
  expect(() => decodeLabels(encode({ width: 1, height: 1, data: new Uint8Array(3), channels: 3 }))).toThrow(
    /3 channels/,
  );
});

test('writeReport makes the page and the tables beside it, the same again but for the time', async () => {
  const store = await writeSyntheticStore(path.join(scratch, 'store'));
  const madeAt = new Date('2026-02-03T04:05:06Z');
  const files = await writeReport(store.folder, { madeAt });
  expect(files).toEqual({
    html: path.join(store.folder, 'report', 'index.html'),
    csv: path.join(store.folder, 'report', 'results.csv'),
    parquet: path.join(store.folder, 'report', 'results.parquet'),
    markdown: path.join(store.folder, 'report', 'scores.md'),
    latex: path.join(store.folder, 'report', 'scores.tex'),
  });
  const page = readFileSync(files.html, 'utf8');
  expect(page.match(/<figure class="pane">/g)).toHaveLength(4 * 7);
  expect(page.match(/<svg class="store"/g)).toHaveLength(4);
  expect(textOf(page)).toContain('page made 2026-02-03 04:05 UTC');
  expect(readFileSync(files.csv, 'utf8').split('\n')).toHaveLength(
    1 + records.flatMap((record) => record.scores).length + 1,
  );
  await writeReport(store.folder, { madeAt, out: path.join(scratch, 'elsewhere', 'page.html') });
  expect(readFileSync(path.join(scratch, 'elsewhere', 'page.html'), 'utf8')).toBe(page);
});

test('missing and damaged images and a damaged plan are named in the page', async () => {
  const store = await writeSyntheticStore(path.join(scratch, 'holes'), { seeds: [0] });
  const [first, second] = store.readAll().records;
  rmSync(path.join(store.folder, first!.examples[0]!.prediction));
  writeFileSync(path.join(store.folder, second!.examples[1]!.image), 'no image');
  writeFileSync(path.join(store.folder, 'study.json'), '{');
  const text = textOf(readFileSync((await writeReport(store.folder)).html, 'utf8'));
  expect(text).toContain('2 images could not be read:');
  expect(text).toContain(
    `${second!.examples[1]!.id}: The content of this file does not have the hash in its name`,
  );
  expect(text).toMatch(/study\.json: The file is not JSON/);
});

test('a folder that is no store is a typed error, an empty store is a page', async () => {
  await expect(writeReport(path.join(scratch, 'none'))).rejects.toMatchObject({ code: 'STORE_MISSING' });
  mkdirSync(path.join(scratch, 'empty', 'records'), { recursive: true });
  const { html } = await writeReport(path.join(scratch, 'empty'));
  expect(textOf(readFileSync(html, 'utf8'))).toContain('No run has finished yet');
});
