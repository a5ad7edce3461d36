import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CellDiagnostic, CellLanguage, Strictness } from '../../../src/kernel/cell-engine.js';
import { createLanguage } from '../../../src/kernel/tslab/language.js';
import type { TslabPayload } from '../../../src/kernel/tslab/payload.js';
import { createNotebookFolder } from '../cells/run-sequences.js';

let folder: string;
let language: CellLanguage;

beforeAll(() => {
  folder = createNotebookFolder();
  writeFileSync(path.join(folder, 'globals.d.ts'), 'declare const kernel: { readonly isKernel: boolean };\n');
  language = createLanguage({
    folder: folder,
    projectRoot: folder,
    strictness: 'loose',
    globals: path.join(folder, 'globals.d.ts'),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => language.reset());

let count = 0;
/** Converts and commits a cell. */
function cell(code: string, strictness: Strictness = 'loose'): readonly CellDiagnostic[] {
  language.setStrictness(strictness);
  const id = `c${++count}`;
  const { diagnostics } = language.convert({ id, count, code });
  language.commit(id, false);
  return diagnostics;
}
const codes = (diagnostics: readonly CellDiagnostic[]): number[] => diagnostics.map(({ code }) => code);

test('a cell that is too deep for the compiler does not spoil the next one', () => {
  const deep = `${'('.repeat(20_000)}1${')'.repeat(20_000)}`;
  expect(() => cell(deep)).toThrow(RangeError);
  expect(cell('const afterDeep: number = 1;')).toEqual([]);
  expect(codes(cell('const wrong: string = afterDeep;'))).toEqual([2322]);
});

test('members and names of earlier cells are completed, with their kinds', () => {
  cell('const station = { altitudeM: 3, name: "x", climb() {} };');
  const members = language.complete('station.al', 10);
  expect(members).toMatchObject({ start: 8, end: 10 });
  expect(members?.matches).toContain('altitudeM');
  const names = language.complete('sta', 3)!;
  expect(names.matches[0]).toBe('station');
  expect(names.types?.[0]).toBe('const');
  expect(language.complete('kernel.', 7)?.matches).toEqual(['isKernel']);
});

test('names are inspected with types and documentation, with ?? also with their source', () => {
  cell('/** Metres above the sea. */\nconst altitude = (name: string) => name.length;');
  const found = language.inspect('altitude("x")', 3, false);
  expect(found?.text).toContain('const altitude: (name: string) => number');
  expect(found?.text).toContain('Metres above the sea.');
  expect(found?.text).not.toContain('name.length');
  expect(language.inspect('altitude', 8, true)?.text).toContain('(name: string) => name.length');
  expect(language.inspect("import { next } from './shapes'; next()", 34, true)?.text).toMatch(
    /shapes\.ts\nexport function next\(\): number \{ return \+\+count; \}/,
  );
  expect(language.inspect('1 + 1', 2, false)).toBeUndefined();
});

test.each([
  ['const a = 1', 'complete', undefined],
  ['function f() {', 'incomplete', '  '],
  ['  if (x) {\n    f([', 'incomplete', '      '],
  ['`open', 'incomplete', ''],
  ['/* open', 'incomplete', ''],
  ['const = 3;\nf()', 'invalid', undefined],
  ['f(', 'incomplete', '  '],
  ['', 'complete', undefined],
])('%j is %s', (code, status, indent) => {
  expect(language.isComplete(code)).toEqual({ status, ...(indent === undefined ? {} : { indent }) });
});

test('what keeps a cell from running is told with its place, and nothing of it is kept', () => {
  expect(cell('const n: number = 1;\n  const s: string = n;')).toMatchObject([
    { severity: 'error', code: 2322, line: 2, column: 9 },
  ]);
  expect(codes(cell('n'))).toEqual([2304]);
});

test('strictness decides what is refused', () => {
  const code = 'const s: string = null; function f(x) { return x; } const wrong: number = "1";';
  expect(codes(cell(code, 'strict'))).toEqual([2322, 7006, 2322]);
  expect(codes(cell(code, 'loose'))).toEqual([2322]);
  expect(codes(cell(code, 'off'))).toEqual([]);
  expect(codes(cell('const = 1', 'off'))).toContain(1134);
  expect(codes(cell('function f() { await 1; }', 'off'))).toEqual([1308]);
});

test('a missing module is named, and found once it is there', () => {
  const [error] = cell("import { there } from 'not-there-yet'; there");
  expect(error).toMatchObject({ code: 2307, line: 1, column: 23 });
  const root = path.join(folder, 'node_modules/not-there-yet');
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'package.json'), '{"name": "not-there-yet", "types": "index.d.ts"}');
  writeFileSync(path.join(root, 'index.d.ts'), 'export declare const there: number;');
  expect(cell("import { there } from 'not-there-yet'; there.toFixed()")).toEqual([]);

  expect(codes(cell("import { late } from './late';"))).toEqual([2307]);
  writeFileSync(path.join(folder, 'late.ts'), 'export const late = 1;');
  expect(cell("import { late } from './late'; late.toFixed()")).toEqual([]);
});

test('edited files are seen by the next cell, and their own errors are warnings, once a version', () => {
  const file = path.join(folder, 'edited.ts');
  writeFileSync(file, 'export const unit = "m";');
  expect(cell("import { unit } from './edited'; unit.length")).toEqual([]);
  writeFileSync(file, 'export const unit: number = "text of another length";');
  const [warning, ...others] = cell("import { unit } from './edited'; unit.toFixed()");
  expect(warning).toMatchObject({ severity: 'warning', code: 2322, file, line: 1, column: 14 });
  expect(others).toEqual([]);
  expect(cell("import { unit } from './edited'; unit.toFixed()")).toEqual([]);
  expect(codes(cell("import { unit } from './edited'; unit.length"))).toEqual([2339]);
  rmSync(file);
  expect(codes(cell("import { unit } from './edited';"))).toEqual([2307]);
});

test('a changed tsconfig.json holds from the next cell on', () => {
  const file = path.join(folder, 'tsconfig.json');
  expect(codes(cell("import { unit } from '@shapes';"))).toEqual([2307]);
  writeFileSync(file, '{ "compilerOptions": { "paths": { "@shapes": ["./shapes.ts"] } } }');
  try {
    expect(cell("import { unit } from '@shapes'; unit.area().toFixed()")).toEqual([]);
  } finally {
    rmSync(file);
  }
});

test('outside any project the types of gondwana and of Node are those of the kernel', () => {
  expect(
    cell("import { defineStudy } from 'gondwana'; const define: (x: never) => object = defineStudy;"),
  ).toEqual([]);
  expect(codes(cell("import { nothingSuch } from 'gondwana';"))).toEqual([2305]);
  expect(cell("import fs from 'node:fs'; fs.existsSync('/').valueOf(); process.pid.toFixed()")).toEqual([]);
});

test('an object of a class that was declared again keeps its type', () => {
  cell(
    'class Site { private secret = 1; name = "x"; } const first = new Site(); const list: Site[] = [first];',
  );
  cell('class Site { altitudeM = 3; }');
  expect(cell('first.name.length + list[0].name.length + new Site().altitudeM')).toEqual([]);
  expect(codes(cell('const wrong: Site = first;'))).toEqual([2741]);
  expect(codes(cell('first.altitudeM'))).toEqual([2339]);
});

test('a class declared again as it was stays the same type', () => {
  const code = 'class Site { private secret = 1; }';
  cell(`${code} const first = new Site();`);
  cell(code);
  expect(cell('const same: Site = first;')).toEqual([]);
});

test('a type that cannot be written down costs its cell nothing', () => {
  expect(cell('const Mixed = class { private hidden = 1; shown = 2; };')).toEqual([]);
  expect(cell('new Mixed().shown')).toEqual([]);
});

test('names that begin with two underscores are names', () => {
  cell('const __x = 1, ___y = "two";');
  expect(cell('__x.toFixed() + ___y.length')).toEqual([]);
});

test('a failed cell keeps the names it came to, others stay what they were', () => {
  cell('const model = "first"; const other = 1;');
  const id = `c${++count}`;
  language.convert({ id, count, code: 'const other = "new"; const model = 5; const fresh = 1;' });
  language.commit(id, true, ['model']);
  expect(cell('model.length + other.length + fresh.toFixed().length')).toEqual([]);
});

test('imports of types are not loaded, imports of values are, in order', () => {
  const { payload } = language.convert({
    id: 'imports',
    count: 1,
    code: "import { type Shape, Square as S } from './shapes'; import type { Size } from './shapes'; import './counter'; import fs, * as all from 'node:fs';\nconst s: Shape = new S(1);",
  });
  expect((payload as Extract<TslabPayload, { kind: 'cell' }>).imports).toEqual([
    { specifier: './shapes', names: ['Square'] },
    { specifier: './counter', names: [] },
    { specifier: 'node:fs', names: ['default'] },
  ]);
});

test('a cell for the browser is passed over', () => {
  expect(language.convert({ id: 'b', count: 1, code: '/** @browser */\ndocument.body' }).payload).toEqual({
    kind: 'none',
  });
});
