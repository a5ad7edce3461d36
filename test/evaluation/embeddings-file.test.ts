import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { readEmbeddings, writeEmbeddings } from '../../src/evaluation/embeddings-file.js';
import { tempFolder } from '../support/temp-folder.js';

const ids = ['a', 'b', 'c'];
const splits = ['train', 'train', 'test'];
const numbers = (column: number): number[] => ids.map((_, row) => 10 * column + row);
const refused = (text: RegExp) => ({
  code: 'EMBEDDINGS_INVALID',
  message: expect.stringMatching(text) as string,
});

describe('embeddings in Parquet', () => {
  const label: ColumnSource = { name: 'label', type: 'STRING', data: ['0', '1', '[1,2]'] };
  const facts: ColumnSource[] = [
    { name: 'id', type: 'STRING', data: ids },
    { name: 'split', type: 'STRING', data: splits },
  ];
  const e = (column: number): ColumnSource => ({
    name: `e${column}`,
    type: 'DOUBLE',
    data: numbers(column),
  });
  const read = (...columnData: ColumnSource[]) => {
    const file = path.join(tempFolder(), 'vectors.parquet');
    writeFileSync(file, new Uint8Array(parquetWriteBuffer({ columnData: [...facts, ...columnData] })));
    return readEmbeddings(file);
  };

  it('have their numbers by the names of the columns, wherever these stand', async () => {
    const columns = Array.from({ length: 12 }, (_, column) => e(column));
    const { vectors } = await read(...columns.slice(5).reverse(), label, ...columns.slice(0, 5));
    // as text, e10 would come before e2
    expect([...vectors[1]!]).toEqual(columns.map((_, column) => 10 * column + 1));
  });

  it.each([
    ['a number is null', { name: 'e1', type: 'DOUBLE', nullable: true, data: [1, null, 3] }, /e1 .* row 1 /],
    ['a number is text', { name: 'e1', type: 'STRING', data: ['1', '2', '3'] }, /e1 .* row 0 .*'1'/],
    ['a number is a truth value', { name: 'e1', type: 'BOOLEAN', data: [true, false, true] }, /e1 .*true/],
    ['a column is missing', { ...e(7), name: 'e2' }, /e1 is missing/],
    ['a column is there twice', { ...e(7), name: 'e00' }, /e1 is missing|e0 is missing/],
    ['a value is text', { name: 'value', type: 'STRING', data: ['1', 'x', '3'] }, /value .* row 0/],
  ] satisfies [string, ColumnSource, RegExp][])('are refused where %s', async (_, column, text) => {
    await expect(read(label, e(0), column)).rejects.toMatchObject(refused(text));
  });

  it.each(['forest', '"forest"', '1000000000', '-1', '0.5', 'true', '{}', '[[1]]', '[0,"x"]'])(
    'are refused where a label is %s',
    async (text) => {
      const odd = { ...label, data: ['0', text, '1'] };
      await expect(read(odd, e(0))).rejects.toMatchObject(refused(/label, row 1 /));
    },
  );

  it('may have labels that are whole numbers, and none', async () => {
    const nullable: ColumnSource = { name: 'label', type: 'INT32', nullable: true, data: [2, null, 0] };
    expect((await read(nullable, e(0))).labels).toEqual([2, null, 0]);
  });
});

describe('embeddings in NumPy’s format', () => {
  const whole = { encoder: 'e', ids, splits, labels: [0, 1, null] };
  const vectors = ids.map((_, row) => Float32Array.of(row, 2));
  const written = async (facts: unknown): Promise<string> => {
    const file = path.join(tempFolder(), 'vectors.npy');
    await writeEmbeddings({ ...whole, vectors }, file);
    writeFileSync(file.replace('.npy', '.json'), JSON.stringify(facts));
    return file;
  };

  it.each([
    ['null', null, /expected object/],
    ['a list', [], /expected object/],
    ['ids that are text', { ...whole, ids: 'abc' }, /ids/],
    ['ids that are none', { ...whole, ids: ['a', null, 'c'] }, /ids\.1/],
    ['no splits', { ...whole, splits: undefined }, /splits/],
    ['too few labels', { ...whole, labels: [0, 1] }, /3 rows, and there are 2 labels/],
    ['labels that only have a length', { ...whole, labels: { length: 3 } }, /labels/],
    ['a label that is text', { ...whole, labels: [0, 'forest', 1] }, /labels\[1\]: 'forest'/],
    ['a label of a billion', { ...whole, labels: [0, 1e9, 1] }, /labels\[1\]: 1000000000/],
    ['too few values', { ...whole, values: [1, 2] }, /3 rows, and there are 2 values/],
    ['values that are text', { ...whole, values: ['1', '2', '3'] }, /values\.0/],
    ['an encoder that is a number', { ...whole, encoder: 5 }, /encoder/],
  ])('are refused beside %s', async (_, facts, text) => {
    await expect(readEmbeddings(await written(facts))).rejects.toMatchObject(refused(text));
  });

  it.each([
    ["'<i8'", '(3, 1)', /int64/],
    ["'<f4'", '(6,  )', /\[6\]/],
  ])('are refused as an array of %s %s', async (type, shape, text) => {
    const file = await written(whole);
    await writeEmbeddings({ ...whole, vectors }, file);
    const head = `{'descr': ${type}, 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + '\n';
    const start = Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1');
    writeFileSync(file, Buffer.concat([start, Buffer.from(head), Buffer.alloc(24)]));
    await expect(readEmbeddings(file)).rejects.toMatchObject(refused(text));
  });
});
