import { expect, test } from 'vitest';
import { fixCell, hasTopLevelAwait } from '../../../src/kernel/tslab/fix-cell.js';
import { loadTypeScript } from '../../../src/kernel/tslab/package.js';

const ts = loadTypeScript();

test.each([
  ['export const a = 1;', '       const a = 1;'],
  ['export async function f() {}', '       async function f() {}'],
  ['export default class A {}', '               class A {}'],
  ['export default { a: 1 };', 'void 0,        { a: 1 };'],
  ['export default () => 1', 'void 0,        () => 1'],
  ['export default function () {}', 'void 0,        function () {}'],
  ['export default class { b = 1 }', 'void 0,        class { b = 1 }'],
  ['a;\nexport {\n  a,\n};', 'a;\n{}      \n    \n  '],
  ["export { x as y } from './z';", "import { x as y } from './z';"],
  ["export * as ns from './z';", "import * as ns from './z';"],
  ["export * from './z';", "import        './z';"],
  ["export type { T } from './z';", "import type { T } from './z';"],
  ['export type T = 1; export interface I {}', '       type T = 1;        interface I {}'],
  ["import a from './a.json' with { type: 'json' };", `import a from './a.json'${' '.repeat(22)};`],
  ['using file = open();', 'const file = open();'],
  ['await using file = open();', '      const file = open();'],
  ['for (using x of xs) {}', 'for (const x of xs) {}'],
  ['async () => { for (await using x of xs) {} }', 'async () => { for (      const x of xs) {} }'],
])('%j is read as %j', (code, fixed) => {
  const result = fixCell(ts, code);
  expect(result.code).toBe(fixed);
  expect(result.code.length).toBe(code.length);
});

test.each([
  "'export const a'; // export default with { a: 1 }",
  'const using = 1; using + 1; for (using of [1]) {} if (using in o) {}',
  'const o = { export: 1, with: 2, using: 3 }; o.export; o.using',
  'const t = `export ${a} using x`;',
])('%j is left as it is', (code) => {
  expect(fixCell(ts, code)).toEqual({ code, disposals: new Map() });
});

test('places of using are told, with whether they wait', () => {
  const { disposals } = fixCell(ts, 'using a = f(); async () => { await using b = f(); };');
  expect([...disposals]).toEqual([
    [0, false],
    [35, true],
  ]);
});

test.each([
  ['await f()', true],
  ['await (f())', true],
  ['const [a] = [await [1]];', true],
  ['if (a) { await -1 }', true],
  ['await `x`', true],
  ['{ if (a) for await (const x of y) {} }', true],
  ['async function f() { for await (const x of y) await x; }', false],
  ['for (const x of y) {}', false],
])('%j waits outside functions: %s', (code, waits) => {
  const file = ts.createSourceFile('a.ts', `export {};\n${code}`, ts.ScriptTarget.Latest, true);
  expect(hasTopLevelAwait(ts, file)).toBe(waits);
});
