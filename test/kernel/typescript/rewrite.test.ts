import { expect, test } from 'vitest';
import type { NameKind } from '../../../src/kernel/typescript/declarations.js';
import { Edits, sourceOffset } from '../../../src/kernel/typescript/edits.js';
import { restoreNames } from '../../../src/kernel/typescript/error-text.js';
import { rewriteCell } from '../../../src/kernel/typescript/rewrite.js';

const rewrite = (js: string, known: Record<string, NameKind> = {}, kinds: Record<string, NameKind> = {}) =>
  rewriteCell({
    js,
    identifiers: new Set(js.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)),
    kinds: new Map(Object.entries(kinds)),
    resets: new Set(),
    hasValue: true,
    typeImports: new Set(),
    known: new Map(Object.entries(known)),
  });

/** What lies between the function's first line and its end. */
const body = (code: string): string => code.slice(code.indexOf(';') + 2, code.lastIndexOf('\n})'));

test('names of the top level become fields of boxes', () => {
  const { code } = rewrite('let a = 1;\nf(a);', { f: 'function' });
  expect(body(code)).toBe(
    'const $$a = $$.own("a"); const $$f = $$.box("f"); ($$a.v = 1);\n$$.value = ((0, $$f.v)($$a.v));',
  );
});

test('names that the cell hides in a function stay as they are', () => {
  const { code } = rewrite('(a) => { let b = a; return b + c; };', { a: 'let', b: 'let', c: 'let' });
  expect(body(code)).toContain('(a) => { let b = a; return b + $$c.v; }');
});

test('a prefix is chosen that the cell does not use', () => {
  expect(rewrite('let $$a = 1;').prefix).toBe('$$$');
});

test('only references that may come too early are checked', () => {
  expect(rewrite('const a = 1; const f = () => a; f();').code).not.toContain('early');
  expect(rewrite('const f = () => a; f(); const a = 1;').code).toContain('early("a")');
});

test('a cell that awaits or imports is an async function, others are not', () => {
  expect(rewrite('await 1;').isAsync).toBe(true);
  expect(rewrite("import a from 'a';").isAsync).toBe(true);
  expect(rewrite('for await (const a of b) {}').isAsync).toBe(true);
  expect(rewrite('const f = async () => { await 1; }').isAsync).toBe(false);
});

test('names declared anew are numbered in the order in which that happens', () => {
  const { redeclared, names } = rewrite(
    'let a = 1; let b = 2; const c = 3;',
    { a: 'let', c: 'let' },
    { c: 'const' },
  );
  expect(redeclared).toEqual([
    ['a', 1],
    ['c', 2],
  ]);
  expect([...names]).toEqual([
    ['a', 'var'],
    ['b', 'var'],
    ['c', 'const'],
  ]);
});

test('every place of the edited text leads back to its source', () => {
  const source = 'one two three';
  const edits = new Edits(source);
  edits.replace(4, 7, 'TWO!');
  edits.wrap(0, 13, '<', '>');
  edits.wrap(8, 13, '[', ']');
  const { text, segments } = edits.apply('head ', ' tail');
  expect(text).toBe('head <one TWO! [three]> tail');
  expect(sourceOffset(segments, text.indexOf('one') + 1)).toBe(1);
  expect(sourceOffset(segments, text.indexOf('TWO') + 2)).toBe(4);
  expect(sourceOffset(segments, text.indexOf('three') + 3)).toBe(11);
  expect(sourceOffset(segments, 0)).toBe(0);
});

test('messages get the names back that the user wrote, other dollars stay', () => {
  const error = new Error('(0 , $$load.v) is not a function; $$a.v; costs $$5; $$other');
  restoreNames(error);
  expect(error.message).toBe('load is not a function; a; costs $$5; $$other');
});
