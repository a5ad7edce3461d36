import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ColumnTable, fromArrow, fromCSV, table } from 'arquero';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toDanfo } from '../../src/results/danfo.js';
import { toCsv, writeArrow, writeCsv, writeParquet } from '../../src/results/export.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { toTable } from '../../src/results/table.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

let scratch: string;
beforeAll(() => void (scratch = mkdtempSync(path.join(tmpdir(), 'table-'))));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const records = syntheticRecords();

test('the table has one row a score and one column a setting, in the documented order', () => {
  const table = toTable(records);
  expect(table).toBeInstanceOf(ColumnTable);
  expect(table.numRows()).toBe(records.flatMap((record) => record.scores).length);
  expect(table.columnNames()).toEqual([
    'study',
    'run',
    'arm',
    'dataset',
    'encoder',
    'decoder',
    'batchSize',
    'encoderMode',
    'encoderWeights',
    'epochs',
    'inputSize',
    'learningRate',
    'normalization',
    'predictedClass',
    'protocol',
    'seed',
    'mode',
    'split',
    'place',
    'evaluation',
    'metric',
    'class',
    'value',
    'selectedEpoch',
    'seconds',
  ]);
  const first = table.object(0) as Record<string, unknown>;
  const { cost, scores } = records[0]!;
  expect(first).toMatchObject({
    arm: 'frozen, z-score',
    encoderMode: 'frozen',
    predictedClass: null,
    seed: 0,
    class: null,
    value: scores[0]!.value,
  });
  expect(first.seconds).toBeCloseTo(
    Object.values(cost.seconds).reduce((a, b) => a + b),
    12,
  );
});

test('no records give a table with the fixed columns and no rows', () => {
  const table = toTable([]);
  expect([table.numRows(), table.columnNames().length]).toEqual([0, 16]);
});

/** Names like numbers, quotes, line ends, a setting named like a column, lists, gaps and odd numbers. */
function oddRecords(): RunRecord[] {
  const [a, b] = records;
  const scores = [Number.NaN, Infinity, null, 0.1 + 0.2, 5e-324].map((value) => ({
    ...a!.scores[0]!,
    value,
  }));
  return [
    {
      ...a!,
      arm: '007',
      scores,
      definition: { ...a!.definition, settings: { seed: 'inner', code: '0012', layers: [3, 1], flag: true } },
    },
    {
      ...b!,
      arm: 'with "quotes", commas\nand lines',
      scores: scores.slice(3),
      definition: { ...b!.definition, seed: null, settings: { flag: false, rate: 1e-3 } },
    },
  ];
}

test('NaN and infinities are null in the table, settings named like columns are set apart', () => {
  const table = toTable(oddRecords());
  expect(Array.from(table.array('value') as number[])).toEqual([
    null,
    null,
    null,
    0.1 + 0.2,
    5e-324,
    0.1 + 0.2,
    5e-324,
  ]);
  expect(Array.from(table.array('setting.seed') as string[]).slice(4, 6)).toEqual(['inner', null]);
  expect(table.get('layers', 0)).toBe('[3,1]');
});

test('CSV keeps text as text, gaps apart from empty text, and every double', async () => {
  const file = path.join(scratch, 'odd.csv');
  await writeCsv(toTable(oddRecords()), file);
  const back = fromCSV(readFileSync(file, 'utf8'), { autoType: false });
  expect(back.get('arm', 0)).toBe('007');
  expect(back.get('code', 0)).toBe('0012');
  expect(back.get('arm', 5)).toBe('with "quotes", commas\nand lines');
  expect(Number(back.get('value', 3))).toBe(0.1 + 0.2);
  expect(Number(back.get('value', 4))).toBe(5e-324);
  expect(back.get('value', 0)).toBeFalsy();
  expect(toCsv(toTable([])).trim().split('\n')).toHaveLength(1);
  expect(readdirSync(scratch)).toEqual(['odd.csv']);
});

test('Parquet read back has equal values and the documented types', async () => {
  const table = toTable([...records, ...oddRecords()]);
  const file = path.join(scratch, 'all.parquet');
  await writeParquet(table, file);
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  expect(await parquetReadObjects({ file: buffer })).toEqual(table.objects());
  const schema = Object.fromEntries(
    parquetMetadata(buffer)
      .schema.slice(1)
      .map((element) => [element.name, element]),
  );
  expect(schema.seed).toMatchObject({ type: 'INT32', repetition_type: 'OPTIONAL' });
  expect(schema.value).toMatchObject({ type: 'DOUBLE', repetition_type: 'OPTIONAL' });
  expect(schema.epochs).toMatchObject({ type: 'DOUBLE' });
  expect(schema.flag).toMatchObject({ type: 'BOOLEAN' });
  for (const name of ['arm', 'code', 'class', 'layers'])
    expect(schema[name]).toMatchObject({ type: 'BYTE_ARRAY', converted_type: 'UTF8' });
});

test('a seed beyond 32 bits makes the column 64 bits wide, and an empty table is a readable file', async () => {
  const file = path.join(scratch, 'wide.parquet');
  const wide = { ...records[0]!, definition: { ...records[0]!.definition, seed: 2 ** 40 } };
  await writeParquet(toTable([wide]), file);
  const read = async () => parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer });
  expect((await read())[0]!.seed).toBe(BigInt(2 ** 40));
  await writeParquet(toTable([]), file);
  expect(await read()).toEqual([]);
});

test('a table becomes a danfo.js frame on the same engine', async () => {
  const frame = await toDanfo(toTable(records.slice(0, 2)));
  expect(frame.shape).toEqual([2 * records[0]!.scores.length, 24]);
  expect(frame.columns.slice(0, 3)).toEqual(['study', 'run', 'arm']);
}, 30_000);

test('texts that a spreadsheet would take for a formula are written with an apostrophe', () => {
  const odd = table({ model: ['=1+1', '@sum', 'plain'], value: [-0.5, 1, 2] });
  expect(toCsv(odd)).toBe("model,value\n'=1+1,-0.5\n'@sum,1\nplain,2\n");
});

test('an Arrow file read back has equal values, gaps included', async () => {
  const file = path.join(scratch, 'odd.arrow');
  const odd = table({ model: ['007', null, 'b'], value: [0.1 + 0.2, null, -1], seed: [1, 2, null] });
  await writeArrow(odd, file);
  expect(fromArrow(new Uint8Array(readFileSync(file))).objects()).toEqual(odd.objects());
});
