import { table } from 'arquero';
import { expect, test } from 'vitest';
import { tf } from '../../src/engine/tf.js';
import { bundleOf, formatValue } from '../../src/display/bundle.js';
import { metadataOf } from '../../src/display/mime.js';
import { JUPYTER_DISPLAY, showAs } from '../../src/display/showable.js';
import { InputError } from '../../src/errors.js';
import { encodePng } from '../../src/io/png.js';

const TYPES = ['text/plain', 'text/html', 'text/markdown'];

test('an Arquero table shows its first twenty rows, the kinds of its columns and its size', async () => {
  const columns = table({
    arm: Array.from({ length: 45 }, (_, i) => `arm ${i}`),
    score: Float32Array.from({ length: 45 }, (_, i) => i / 8),
    day: Array.from({ length: 45 }, () => new Date(0)),
    gap: Array.from({ length: 45 }, (_, i) => (i % 2 ? null : i)),
  });
  const bundle = await bundleOf(columns);
  expect(Object.keys(bundle)).toEqual(TYPES);
  const lines = (bundle['text/plain'] as string).split('\n');
  expect(lines).toHaveLength(3 + 20 + 1);
  expect(lines[1]).toMatch(/^text\s+float32\s+date\s+integer$/);
  expect(lines.at(-1)).toBe('… 25 more of 45 rows, 45 × 4 (rows × columns)');
  const html = bundle['text/html'] as string;
  expect(html.match(/<tr>/g)).toHaveLength(21);
  expect(html).toContain('25 more of 45 rows');
  expect(html).not.toMatch(/<script|background|#fff|white;/);
});

test('a list of flat objects is a table; nested objects, lists of numbers and single objects stay text', async () => {
  expect(Object.keys(await bundleOf([{ a: 1, b: 'x' }, { a: 2 }]))).toEqual(TYPES);
  expect(Object.keys(await bundleOf([{ a: 1, b: [1, 2] }]))).toEqual(TYPES);
  for (const plain of [
    [{ a: { b: 1 } }],
    [1, 2, 3],
    [],
    { a: 1 },
    [new Map([[1, 2]])],
    'text',
    42,
    null,
    Symbol('s'),
  ]) {
    expect(Object.keys(await bundleOf(plain))).toEqual(['text/plain']);
  }
  expect(await bundleOf('text')).toEqual({ 'text/plain': "'text'" });
  expect(await bundleOf({ a: { b: [1] } })).toEqual({ 'text/plain': '{ a: { b: [ 1 ] } }' });
});

test('what only looks like a danfo.js frame by its members is shown as a table too, without loading danfo.js', async () => {
  const frame = {
    values: [
      [1, 'x'],
      [2, 'y'],
    ],
    columns: ['a', 'b'],
    index: [0, 1],
    shape: [2, 2],
    print: () => undefined,
  };
  expect((await bundleOf(frame))['text/plain']).toContain('2 × 2 (rows × columns)');
  const series = { ...frame, values: [1.5, 2.5], columns: ['score'] };
  expect((await bundleOf(series))['text/plain']).toMatch(/score\nnumber\n─+\n +1.500\n +2.500\n/);
});

test('an object says by itself how it looks, at once or later, with bytes as base64', async () => {
  const own = { [JUPYTER_DISPLAY]: () => ({ 'text/plain': 'mine', 'image/png': Uint8Array.of(1, 2, 3) }) };
  expect(formatValue(own)).toEqual({ 'text/plain': 'mine', 'image/png': 'AQID' });
  const later = { [JUPYTER_DISPLAY]: () => Promise.resolve({ 'text/plain': 'later' }) };
  expect(formatValue(later)).toBeInstanceOf(Promise);
  expect(await bundleOf(later)).toEqual({ 'text/plain': 'later' });
  expect(await bundleOf({ [JUPYTER_DISPLAY]: () => ({}) })).toEqual({});
});

test('a look that fails, or is none, leaves the text with the reason; hostile objects too', async () => {
  const failing = {
    a: 1,
    [JUPYTER_DISPLAY]: () => {
      throw new Error('no font');
    },
  };
  expect((await bundleOf(failing))['text/plain']).toMatch(/a: 1[\s\S]*richer form: no font/);
  const later = { b: 2, [JUPYTER_DISPLAY]: () => Promise.reject(new Error('no resvg')) };
  expect((await bundleOf(later))['text/plain']).toMatch(/b: 2[\s\S]*no resvg/);
  expect((await bundleOf({ [JUPYTER_DISPLAY]: () => 'text' }))['text/plain']).toContain('by MIME type');
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
      ownKeys() {
        throw new Error('no');
      },
    },
  );
  expect(typeof (await bundleOf(hostile))['text/plain']).toBe('string');
});

test('bytes of a PNG or JPEG are pictures, other bytes are text', async () => {
  const png = encodePng({ data: Uint8Array.of(1, 2, 3, 4), height: 2, width: 2, bandCount: 1 });
  expect((await bundleOf(png))['image/png']).toBe(Buffer.from(png).toString('base64'));
  expect(await bundleOf(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toMatchObject({ 'image/jpeg': '/9j/4A==' });
  expect(Object.keys(await bundleOf(Uint8Array.of(1, 2, 3)))).toEqual(['text/plain']);
});

test('an error of the library says what, where and what to do, escaped', async () => {
  const error = new InputError('X_Y', '<b> is wrong', { where: 'file <i>', hint: 'do & mend' });
  const bundle = await bundleOf(error);
  expect(bundle['text/plain']).toBe('X_Y: <b> is wrong\n  where: file <i>\n  to do: do & mend');
  expect(bundle['text/html']).toContain('&lt;b&gt; is wrong');
  expect(bundle['text/html']).not.toMatch(/<b>|<i>/);
  expect(Object.keys(await bundleOf(new Error('plain')))).toEqual(['text/plain']);
});

test('a look changes nothing else: comparison, JSON, copies and clones do not see it', () => {
  const plain = { id: 'a', list: [1, 2] };
  const shown = showAs(
    { id: 'a', list: [1, 2] },
    { bundle: () => ({ 'text/plain': 'x' }), row: () => ({ id: 'a' }) },
  );
  expect(shown).toEqual(plain);
  expect(shown).toStrictEqual(plain);
  expect(JSON.stringify(shown)).toBe(JSON.stringify(plain));
  expect(Reflect.ownKeys({ ...shown })).toEqual(['id', 'list']);
  expect(structuredClone(shown)).toStrictEqual(plain);
  expect(Object.isFrozen(Object.freeze(shown))).toBe(true);
});

test('a list of objects that have a row is a table of their rows', async () => {
  const thing = (id: string) =>
    showAs(
      { id, deep: { a: 1 } },
      { bundle: () => ({ 'text/plain': id }), row: () => ({ name: id, size: 3 }) },
    );
  const bundle = await bundleOf([thing('x'), thing('y')]);
  expect((bundle['text/plain'] as string).split('\n')[0]).toBe('name     size');
  expect(metadataOf(bundle)).toEqual({});
});

test('an array of holes, a value whose every member throws and an object of very many members are shown, at once', async () => {
  expect(await bundleOf(new Array(2 ** 32 - 1))).toEqual({ 'text/plain': '[ <4294967295 empty items> ]' });
  const liar = {
    get [Symbol.toStringTag]() {
      throw new Error('no tag');
    },
  };
  expect((await bundleOf(liar))['text/plain']).toBe('[object]');
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`member${i}`, i]));
  const text = String((await bundleOf(many))['text/plain']);
  expect(text.length).toBeLessThan(100_100);
  expect(text).toMatch(/\n… [\d,]+ more characters$/);
});

test('a tensor shows its kind, shape and values, and says so where it was disposed of', async () => {
  const tensor = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3], 'int32');
  expect((await bundleOf(tensor))['text/plain']).toMatch(
    /dtype: int32[^]*shape: \[2,3\][^]*\[\[1, 2, 3\],\s+\[4, 5, 6\]\]/,
  );
  tensor.dispose();
  expect((await bundleOf(tensor))['text/plain']).toContain('Tensor is disposed');
});
