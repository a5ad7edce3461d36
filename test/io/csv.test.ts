import { describe, expect, it } from 'vitest';
import { csvColumn, csvNumbers, parseCsv } from '../../src/io/csv.js';

describe('tables of texts', () => {
  it('hold delimiters, quotes and line breaks in quotes, with the line of each row', () => {
    const table = parseCsv('a,b\r\n"x, ""y""\r\nz",1\r\n\r\nü,2\r\n', 't.csv');
    expect(table).toMatchObject({
      columns: ['a', 'b'],
      rows: [
        ['x, "y"\r\nz', '1'],
        ['ü', '2'],
      ],
      lines: [2, 5],
    });
    expect(csvColumn(table, 'b')).toEqual(['1', '2']);
  });

  it.each([
    ['semicolons and decimal commas', Buffer.from('\ufeffa;b\n1;0,5\n2;-1,25e3\n'), [0.5, -1250]],
    ['tabs, without a last line end', Buffer.from('a\tb\n1\t.5'), [0.5]],
    ['UTF-16', Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('a,b\n1,2\n', 'utf16le')]), [2]],
    ['old line ends', Buffer.from('a,b\r1,2\r3,4\r'), [2, 4]],
  ])('are read with %s', (_, content, numbers) => {
    expect(csvNumbers(parseCsv(content, 't.csv'), 'b')).toEqual(numbers);
  });

  it('name texts that stand for no number only when they are told to', () => {
    const table = parseCsv('score\n1\nNA\n', 't.csv');
    expect(csvNumbers(table, 'score', ['NA'])).toEqual([1, NaN]);
    expect(() => csvNumbers(table, 'score')).toThrowError(
      expect.objectContaining({ code: 'BAD_NUMBER', where: 't.csv:3' }),
    );
  });

  it.each(['1e400', '-1e999'])('take %s, which no number can hold, for none', (text) => {
    expect(() => csvNumbers(parseCsv(`a,b\n1,${text}\n`, 't.csv'), 'b')).toThrowError(
      expect.objectContaining({ code: 'BAD_NUMBER', where: 't.csv:2' }),
    );
  });

  it('take a decimal comma for no number where commas stand between the cells', () => {
    expect(() => csvNumbers(parseCsv('a,b\n1,"0,5"\n', 't.csv'), 'b')).toThrowError(
      expect.objectContaining({ code: 'BAD_NUMBER' }),
    );
  });

  it.each([
    ['a quote that does not close', 'a,b\n"x,1\n', {}, 'CORRUPT_DATA'],
    ['one behind a header in quotes', '"a","b"\n"x","1"\n"y,2\n', {}, 'CORRUPT_DATA'],
    ['one that ends with doubled quotes', '"a",b\n"x"",1\n', {}, 'CORRUPT_DATA'],
    ['text behind a closing quote', 'a,b\n"x"y,1\n', {}, 'CORRUPT_DATA'],
    ['a row that is too short', 'a,b\n1\n', {}, 'RAGGED_ROW'],
    ['a column that is not there', 'a,b\n1,2\n', { required: ['c'] }, 'MISSING_COLUMN'],
    ['a column that is there twice', 'a,a\n1,2\n', {}, 'DUPLICATE_COLUMN'],
    ['blank lines only', '\n\n', {}, 'NO_ROWS'],
    ['a header only', 'a,b\n', {}, 'NO_ROWS'],
    ['bytes that are no UTF-8', Buffer.of(97, 10, 0xe4, 10), {}, 'CORRUPT_DATA'],
    ['a page of a web server', Buffer.from('<html></html>'), {}, 'NOT_A_TABLE'],
    ['nothing', new Uint8Array(0), {}, 'EMPTY_FILE'],
  ])('refuse %s', (_, content, options, code) => {
    expect(() => parseCsv(content, 't.csv', options)).toThrowError(expect.objectContaining({ code }));
  });

  it('are read in another encoding when it is named', () => {
    expect(parseCsv(Buffer.of(97, 10, 0xe4, 10), 't.csv', { encoding: 'windows-1252' }).rows).toEqual([
      ['ä'],
    ]);
    expect(parseCsv('a\n', 't.csv', { needsRows: false }).rows).toEqual([]);
  });
});
