import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../src/io/csv.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

type Row = Readonly<Record<string, string>>;

const { checkUnique, factRows, idsOf, printedNumber, toCsv } = (await import(
  pathToFileURL(path.join(root, 'tools', 'published', 'facts.mjs')).href
)) as {
  checkUnique: (rows: readonly Row[], where: string) => void;
  factRows: (folder: string, ...parts: string[]) => Row[];
  idsOf: (folder: string) => { dataset: (benchmark: string) => (name: string) => string };
  printedNumber: (text: string, where: string) => string;
  toCsv: (rows: readonly Row[], columns: readonly string[]) => string;
};

function folderWith(name: string, text: string): string {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'tables'));
  writeFileSync(path.join(folder, 'tables', name), text);
  return folder;
}

describe('the writer of published tables', () => {
  it('takes every line, also the last one where it ends with an empty cell', () => {
    const folder = folderWith('a.csv', 'model,value,std\ncroma,82.42,0.5\nvit,"1,5",\n');
    expect(factRows(folder, 'tables', 'a.csv')).toEqual([
      { model: 'croma', value: '82.42', std: '0.5' },
      { model: 'vit', value: '1,5', std: '' },
    ]);
  });

  it('stops at rows that are fewer than lines', () => {
    const folder = folderWith('a.csv', 'model,value\n"cro\nma",82.42\n');
    expect(() => factRows(folder, 'tables', 'a.csv')).toThrow(/1 rows on 2 lines/);
  });

  it.each(['', '1,5', 'NaN', '12 %', '0x10', '1.'])('takes no number from "%s"', (text) => {
    expect(() => printedNumber(text, 'table 5')).toThrow(/table 5/);
  });

  it.each([
    ['+8', '8'],
    ['-59', '-59'],
    ['63.50', '63.50'],
    ['4.8e-05', '4.8e-05'],
  ])('keeps "%s" as printed, without a plus', (text, kept) => {
    expect(printedNumber(text, 'table 5')).toBe(kept);
  });

  it('stops at a row that says the same thing twice', () => {
    const rows = [
      { encoder: 'croma', metric: 'mIoU', value: '1' },
      { encoder: 'croma', metric: 'mIoU', value: '2' },
    ];
    expect(() => checkUnique(rows, 'table 5')).toThrow(/table 5: twice/);
  });

  it('stops at a name that no dataset or encoder has', () => {
    const folder = tempFolder();
    const entry = { id: 'gb2-pastis', benchmark: 'geobench2', paper_names: ['PASTIS'], aliases: ['pastis'] };
    writeFileSync(path.join(folder, 'ids.json'), JSON.stringify({ datasets: [entry], encoders: [] }));
    const { dataset } = idsOf(folder);
    expect(dataset('geobench2')('pastis')).toBe('gb2-pastis');
    expect(() => dataset('pangaea')('pastis')).toThrow(/no dataset is called "pastis"/);
  });

  it('writes the columns that say something, in their order, so that they are read back', () => {
    const rows: Row[] = [{ value: '1', note: 'a "b", c' }, { value: '2' }];
    const { columns, rows: read } = parseCsv(toCsv(rows, ['encoder', 'note', 'value']), 'a.csv');
    expect([columns, read]).toEqual([
      ['note', 'value'],
      [
        ['a "b", c', '1'],
        ['', '2'],
      ],
    ]);
    expect(() => toCsv(rows, ['value'])).toThrow(/columns without a place: note/);
  });
});
