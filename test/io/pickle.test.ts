import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  FileInput,
  type NumpyArray,
  PickleGlobal,
  PickleObject,
  PickleTuple,
  readPickle,
  type PickleOptions,
  type PickleValue,
} from '../../src/io/pickle.js';
import { tempFolder } from '../support/temp-folder.js';

/** Latin 1: one byte a letter, as pickles are written in tests. */
const read = (text: string, options?: PickleOptions): PickleValue =>
  readPickle(Buffer.from(text, 'latin1'), options);

test.each<[string, PickleValue]>([
  ['N.', null],
  ['\x88.', true],
  ['I01\n.', true],
  ['I-7\n.', -7],
  ['L12345678901234567890L\n.', 12345678901234567890n],
  ['F-1.5e3\n.', -1500],
  ['K\xff.', 255],
  ['M\x01\x02.', 513],
  ['J\xff\xff\xff\xff.', -1],
  ['\x8a\x00.', 0],
  ['\x8a\x01\xff.', -1],
  ['\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.', 2n ** 64n],
  ['G\x3f\xf8\x00\x00\x00\x00\x00\x00.', 1.5],
  ["S'a\\n\\x41\\''\n.", "a\nA'"],
  ['V\\u00e9t\xe9\n.', 'été'],
  ['X\x02\x00\x00\x00\xc3\xa9.', 'é'],
  ['C\x03abc.', new Uint8Array([97, 98, 99])],
  ['(K\x01K\x02l.', [1, 2]],
  ['(K\x01K\x02t.', new PickleTuple([1, 2])],
  ['](K\x01K\x02e.', [1, 2]],
  ['}(X\x01\x00\x00\x00aK\x01u.', new Map([['a', 1]])],
  ['\x8f(K\x01K\x01\x90.', new Set([1])],
  ['K\x05q\x000h\x00.', 5],
  ['(K\x01K\x02K\x03\x31N.', null], // POP_MARK
  ['\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00N.', null],
])('%j is read as the value it spells', (text, value) => {
  expect(read(text)).toEqual(value);
});

test('shared and cyclic values keep their identity', () => {
  const cyclic = read(']q\x00h\x00a.') as PickleValue[];
  expect(cyclic[0]).toBe(cyclic);
});

test('what a file names stays a name, and a call stays a record of the call', () => {
  const value = read("cos\nsystem\n(S'touch PWNED'\ntR.") as PickleObject;
  expect(value).toBeInstanceOf(PickleObject);
  expect(value.type.fullName).toBe('os.system');
  expect(value.args).toEqual(['touch PWNED']);
  expect(read('cconstructor\nconstructor\n.')).toEqual(new PickleGlobal('constructor', 'constructor'));
});

test('__proto__ as a key, an attribute or a class changes no object', () => {
  const map = read(
    "}S'__proto__'\n}S'polluted'\nI1\nsscargparse\nNamespace\n(tR}S'__proto__'\n}S'polluted'\nI1\nssb\x86.",
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect((map as PickleTuple).items[0]).toEqual(new Map([['__proto__', new Map([['polluted', 1]])]]));
});

test('the containers of Python and outside references become plain values', () => {
  expect(read("ccollections\nOrderedDict\n(](S'k'\nI1\nlatR.")).toEqual(new Map([['k', 1]]));
  expect(read('c__builtin__\nset\n((I1\nI2\nltR.')).toEqual(new Set([1, 2]));
  expect(read('c_codecs\nencode\n(V\xff\x01\nVlatin1\ntR.')).toEqual(new Uint8Array([255, 1]));
  expect(read("S'id'\nQ.", { persistentId: (id) => [id] })).toEqual(['id']);
});

test('arrays and numbers of NumPy are decoded, big-endian and Fortran order too', () => {
  const dtype = (code: string, order: string): string =>
    `cnumpy\ndtype\n(S'${code}'\nI0\nI1\ntR(I3\nS'${order}'\nNNNI-1\nI-1\nI0\ntb`;
  const start = "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR";
  const big = read(
    `${start}(I1\n(I2\nI3\nt${dtype('i2', '>')}I01\nS'\\x00\\x01\\x00\\x04\\x00\\x02\\x00\\x05\\x00\\x03\\x00\\x06'\ntb.`,
  );
  expect(big).toMatchObject({ dtype: 'int16', shape: [2, 3], data: Int16Array.of(1, 2, 3, 4, 5, 6) });
  const scalar = read(
    `cnumpy.core.multiarray\nscalar\n(${dtype('i8', '<')}S'\\x2a\\x00\\x00\\x00\\x00\\x00\\x00\\x00'\ntR.`,
  );
  expect(scalar).toEqual({ kind: 'numpy-scalar', dtype: 'int64', value: 42n });
  const texts = read(`${start}(I1\n(I1\nt${dtype('O8', '|')}I00\n(S'a'\nltb.`) as NumpyArray;
  expect(texts).toMatchObject({ dtype: 'object', shape: [1], data: ['a'] });
  expect(() => read(`${start}(I1\n(I9\nt${dtype('f8', '<')}I00\nS'ab'\ntb.`)).toThrowError(
    /has 2 bytes, not 72/,
  );
});

test.each([
  ['ends early', ']q'],
  ['an empty stack', '.'],
  ['a mark that is missing', 'K\x01t.'],
  ['a length beyond the end', 'X\xff\xff\xff\x7fab.'],
  ['an unknown instruction', '\xf3.'],
  ['a value that was never stored', 'h\x05.'],
  ['a call of a text', "S'a'\n(tR."],
  ['a key without a value', '}(K\x01u.'],
  ['items of a number', 'K\x01(K\x02e.'],
  ['an unknown protocol', '\x80\x09N.'],
  ['a text that is no UTF-8', 'X\x01\x00\x00\x00\xff.'],
  ['a number of ten thousand digits', `I${'9'.repeat(10_000)}\n.`],
])('%s is PICKLE_MALFORMED', (_, text) => {
  expect(() => read(text, { where: 'a.pkl' })).toThrowError(
    expect.objectContaining({ code: 'PICKLE_MALFORMED', where: 'a.pkl', exitCode: 3 }) as Error,
  );
});

test('private class numbers, outside buffers and outside references without a reader are PICKLE_UNSUPPORTED', () => {
  for (const text of ['\x82\x01.', '\x97.', "S'id'\nQ."]) {
    expect(() => read(text)).toThrowError(expect.objectContaining({ code: 'PICKLE_UNSUPPORTED' }) as Error);
  }
});

test('nesting and the number of objects are bounded', () => {
  expect(() => read(`${']'.repeat(50_000)}${'a'.repeat(49_999)}.`)).toThrowError(/more than 200 deep/);
  expect(() => read(`(${'}'.repeat(2000)}l.`, { maxObjects: 1000 })).toThrowError(/more objects/);
  const shared = `${')q\x00'}${Array.from({ length: 60 }, () => 'h\x000(h\x00h\x00h\x00h\x00tq\x00').join('')}.`;
  const started = performance.now();
  read(shared); // 4^60 if shared values were visited again and again
  expect(performance.now() - started).toBeLessThan(1000);
});

test('a file is read in blocks and left after the end of the pickle, where the next one starts', () => {
  const file = path.join(tempFolder(), 'two.pkl');
  const long = 'x'.repeat(300);
  writeFileSync(file, Buffer.from(`X\x2c\x01\x00\x00${long}.K\x07.rest`, 'latin1'));
  const fd = openSync(file, 'r');
  const input = new FileInput(fd, 0, 310, 16);
  expect(readPickle(input)).toBe(long);
  expect(input.position).toBe(306);
  expect(readPickle(input)).toBe(7);
  closeSync(fd);
});
