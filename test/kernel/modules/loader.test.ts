import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createModuleLoader, type ModuleLoader } from '../../../src/kernel/modules/loader.js';
import { tempFolder } from '../../support/temp-folder.js';
import { writeFiles } from '../../support/write-files.js';

const repository = path.resolve(import.meta.dirname, '../../..');

/** A project of these files and a loader for the notebooks in its folder `notebooks`. */
function project(files: Readonly<Record<string, unknown>>): { root: string; modules: ModuleLoader } {
  const root = tempFolder();
  writeFiles(root, { 'package.json': { name: 'own-name', type: 'module' }, 'notebooks/.keep': '', ...files });
  const modules = createModuleLoader({
    folder: path.join(root, 'notebooks'),
    kernelPackageRoot: repository,
  });
  return { root, modules };
}

let edits = 0;
/** Writes a file with a time stamp that differs from all before, and begins a cell. */
function edit(modules: ModuleLoader, file: string, text: string): void {
  writeFileSync(file, text + ' '.repeat(++edits));
  modules.beginCell();
}

const caught = async (
  promise: Promise<unknown>,
): Promise<{ code: string; where: string; hint: string } & Error> =>
  promise.then(
    () => expect.fail('it loads'),
    (error: unknown) => error as never,
  );

test.each([
  ['../src/tools'],
  ['../src/tools.ts'],
  ['../src/tools.js'],
  ['../src'],
  ['../src/'],
  ['@lib/tools'],
  ['@lib/tools.js'],
  ['src/tools'],
])('a cell imports local TypeScript as %s', async (specifier) => {
  const { modules } = project({
    'tsconfig.json': { compilerOptions: { baseUrl: '.', paths: { '@lib/*': ['./src/*'] } } },
    'src/tools.ts': 'export const area = (side: number): number => side ** 2;',
    'src/index.ts': "export * from './tools';",
  });
  const { area } = await modules.importModule(specifier);
  expect((area as (side: number) => number)(3)).toBe(9);
});

test('files by absolute path and by file: URL are the same module as by relative path', async () => {
  const { root, modules } = project({ 'a.mts': 'export const self = {};' });
  const [one, two, three] = await Promise.all(
    ['../a.mjs', path.join(root, 'a.mts'), `file://${root}/a.mts`].map((name) => modules.importModule(name)),
  );
  expect(one).toBe(two);
  expect(three).toBe(two);
});

test('enums, namespaces, parameter properties, decorators and JSX run as TypeScript says', async () => {
  const { modules } = project({
    'tsconfig.json': { compilerOptions: { jsx: 'react', jsxFactory: 'h', experimentalDecorators: true } },
    'notebooks/a.tsx': `
      enum Kind { point = 1, area }
      namespace Shape { export const sides = 3; }
      const mark = (_: object, name: string) => { marked.push(name); };
      const marked: string[] = [];
      class Site { constructor(private readonly name: string) {} @mark hello() { return this.name; } }
      const h = (tag: string, props: unknown, ...children: unknown[]) => [tag, props, ...children];
      export const all = [Kind[2], Shape.sides, new Site('x').hello(), marked, <b id="1">two</b>] as const;`,
  });
  const { all } = await modules.importModule('./a');
  expect(all).toEqual(['area', 3, 'x', ['hello'], ['b', { id: '1' }, 'two']]);
});

test('names that are imported are live, also through export * and renaming', async () => {
  const { modules } = project({
    'notebooks/counter.ts':
      'export let count = 0; export const up = () => { count++; return { count }; }; export default up;',
    'notebooks/all.ts':
      "export * from './counter'; export * as whole from './counter'; export { count as renamed, default as add } from './counter';",
    'notebooks/user.ts': `import up, { count, up as again } from './counter'; import * as all from './all';
      up(); again();
      export const seen = { count }; export const tag = \`\${count}\`; export const keys = Object.keys(all).sort();`,
  });
  const user = await modules.importModule('./user');
  const all = await modules.importModule('./all');
  expect(user).toMatchObject({
    seen: { count: 2 },
    tag: '2',
    keys: ['add', 'count', 'renamed', 'up', 'whole'],
  });
  (all.add as () => void)();
  expect(all).toMatchObject({ count: 3, renamed: 3, whole: { count: 3 } });
  expect(inspect(all)).toContain('count: 3');
});

test('a function that is imported is called without a this', async () => {
  const { modules } = project({
    'notebooks/a.ts': 'export function self(this: unknown) { return this; }',
    'notebooks/b.ts': "import { self } from './a'; export const it = [self(), self``];",
  });
  expect((await modules.importModule('./b')).it).toEqual([undefined, undefined]);
});

test('cycles see functions at once and variables when they are initialized', async () => {
  const { modules } = project({
    'notebooks/a.ts': `import { fromB } from './b';
      export function early() { return 'early'; }
      export const late = 'late';
      export const both = fromB;`,
    'notebooks/b.ts': `import { early, late } from './a';
      let failure = '';
      try { String(late); } catch (error) { failure = (error as Error).name; }
      export const fromB = [early(), failure];
      export const later = () => late;`,
  });
  const { both } = await modules.importModule('./a');
  const { later } = await modules.importModule('./b');
  expect(both).toEqual(['early', 'ReferenceError']);
  expect((later as () => string)()).toBe('late');
});

test('modules run once, in the order of the imports, whoever imports them', async () => {
  const { modules } = project({
    'notebooks/log.ts': 'export const log: string[] = [];',
    'notebooks/one.ts': "import { log } from './log'; await null; log.push('one');",
    'notebooks/two.ts': "import './one'; import { log } from './log'; log.push('two');",
    'notebooks/all.ts':
      "import { log } from './log'; import './two'; import './one'; log.push('all'); export { log };",
  });
  const [all] = await Promise.all(['./all', './two', './one'].map((name) => modules.importModule(name)));
  expect(all?.log).toEqual(['one', 'two', 'all']);
});

test('a module may await at its top level, its importers wait, and a cycle does not hang', async () => {
  const { modules } = project({
    'notebooks/slow.ts': `import { reader } from './reader'; export const back = () => reader;
      export const value = await new Promise<number>((done) => setTimeout(() => done(7), 5));
      for await (const x of [1]) void x;`,
    'notebooks/reader.ts': "import { value } from './slow'; export const reader = () => value;",
  });
  const [{ reader }, { value }] = await Promise.all([
    modules.importModule('./reader'),
    modules.importModule('./slow'),
  ]);
  expect((reader as () => number)()).toBe(7);
  expect(value).toBe(7);
});

test('import.meta, __filename, require and import() work in a local module', async () => {
  const { root, modules } = project({
    'src/here.ts': `import { createRequire } from 'node:module';
      export const meta = [import.meta.filename, import.meta.dirname, import.meta.url, import.meta.resolve('./other')];
      export const names = [__filename, __dirname];
      const loud = require('./other').name.toUpperCase();
      export const loaded = [loud, (await import('./other.js')).name, import.meta.resolve('fs')];
      export const real = typeof createRequire(import.meta.url).resolve;`,
    'src/other.ts': "export const name = 'other';",
    'src/own.ts': `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url); const __dirname = 'mine';
      export const both = [typeof require('node:fs').readFileSync, __dirname];`,
  });
  const file = path.join(root, 'src/here.ts');
  expect(await modules.importModule('../src/here')).toMatchObject({
    meta: [file, path.dirname(file), `file://${file}`, `file://${root}/src/other.ts`],
    names: [file, path.dirname(file)],
    loaded: ['OTHER', 'other', 'node:fs'],
    real: 'function',
  });
  expect((await modules.importModule('../src/own')).both).toEqual(['function', 'mine']);
});

test('import.meta of a cell names the folder of the notebook', () => {
  const { root, modules } = project({ 'src/a.ts': '' });
  expect(modules.importMeta().dirname).toBe(path.join(root, 'notebooks'));
  expect(modules.importMeta().resolve('../src/a')).toBe(`file://${root}/src/a.ts`);
});

test('an edited module and all that import it are loaded anew, others stay', async () => {
  const { root, modules } = project({
    'notebooks/low.ts': 'export const version = 1;',
    'notebooks/middle.ts': "export { version } from './low'; export { held } from './held';",
    'notebooks/top.ts': "import { version } from './middle'; export const shown = `version ${version}`;",
    'notebooks/held.ts': 'export const held = {};',
  });
  const before = await modules.importModule('./top');
  const { held } = await modules.importModule('./middle');
  modules.beginCell();
  expect(await modules.importModule('./top')).toBe(before);
  edit(modules, path.join(root, 'notebooks/low.ts'), 'export const version = 2;');
  expect((await modules.importModule('./top')).shown).toBe('version 2');
  expect(before.shown).toBe('version 1');
  expect((await modules.importModule('./middle')).held).toBe(held);
});

test('edited JSON, ES modules and CommonJS files are loaded anew', async () => {
  const { root, modules } = project({
    'notebooks/a.json': { n: 1, 'not a name': true },
    'notebooks/b.mjs': 'export const n = 1;',
    'notebooks/c.cjs': 'module.exports = { n: 1 };',
    'notebooks/all.ts': `import a from './a.json'; import { n as b } from './b.mjs'; import c from './c.cjs'; import { n } from './c.cjs';
      export default [a.n, b, c.n, n];`,
  });
  expect((await modules.importModule('./all')).default).toEqual([1, 1, 1, 1]);
  edit(modules, path.join(root, 'notebooks/a.json'), '{"n": 2}');
  edit(modules, path.join(root, 'notebooks/b.mjs'), 'export const n = 3;');
  edit(modules, path.join(root, 'notebooks/c.cjs'), 'module.exports = { n: 4 };');
  expect((await modules.importModule('./all')).default).toEqual([2, 3, 4, 4]);
  expect((await modules.importModule('./a.json')).n).toBe(2);
});

test('a module that fails is tried again by the next import, with all that import it', async () => {
  const { root, modules } = project({
    'notebooks/low.ts': "export const n = JSON.parse('{') as number;",
    'notebooks/left.ts': "import { n } from './low'; export const left = n;",
    'notebooks/right.ts': "import { n } from './low'; export const right = n;",
    'notebooks/both.ts': "export * from './left'; export * from './right';",
  });
  expect((await caught(modules.importModule('./both'))).name).toBe('SyntaxError');
  edit(modules, path.join(root, 'notebooks/low.ts'), 'export const n = 5;');
  expect(await modules.importModule('./both')).toMatchObject({ left: 5, right: 5 });
});

test('a changed tsconfig.json holds from the next cell on', async () => {
  const { root, modules } = project({ 'one/x.ts': 'export const from = 1;' });
  expect((await caught(modules.importModule('#one'))).code).toBe('MODULE_NOT_FOUND');
  edit(modules, path.join(root, 'tsconfig.json'), '{"compilerOptions": {"paths": {"#one": ["./one/x.ts"]}}}');
  expect((await modules.importModule('#one')).from).toBe(1);
  edit(modules, path.join(root, 'tsconfig.json'), '{"compilerOptions": {"paths": {"#two": ["./one/x.ts"]}}}');
  expect((await modules.importModule('#two')).from).toBe(1);
  expect((await caught(modules.importModule('#one'))).code).toBe('MODULE_NOT_FOUND');
});

test('a place in a stack trace leads to the TypeScript line, in each version of the file', async () => {
  const { root, modules } = project({
    'notebooks/fails.ts': `interface Big {
  a: number;
}
export function fails(input?: Big): never {
  throw new Error(String(input));
}`,
  });
  const file = path.join(root, 'notebooks/fails.ts');
  const placeOf = async () => {
    const { fails } = (await modules.importModule('./fails')) as { fails: () => never };
    return () => {
      try {
        return fails();
      } catch (error) {
        const [, script, line, column] = /\((.*):(\d+):(\d+)\)/.exec((error as Error).stack!)!;
        return modules.originalPosition(script!, Number(line), Number(column));
      }
    };
  };
  const first = await placeOf();
  expect(first()).toMatchObject({ source: file, line: 5, column: 9 });
  edit(modules, file, '\n\nexport const fails = () => { throw new Error("x"); };');
  const second = await placeOf();
  expect(second()).toMatchObject({ source: file, line: 3, column: 36 });
  expect(first()).toMatchObject({ source: file, line: 5, column: 9 });
  expect(modules.originalPosition('/elsewhere.ts', 1, 1)).toBeUndefined();
});

test('a cell with a module name is imported like a file beside the notebook', async () => {
  const { modules } = project({});
  modules.defineModule('helpers', 'export const twice = (x: number) => 2 * x;');
  expect(((await modules.importModule('./helpers')).twice as (x: number) => number)(2)).toBe(4);
  modules.defineModule('helpers', 'export const twice = () => 0;');
  modules.beginCell();
  expect(((await modules.importModule('./helpers.js')).twice as () => number)()).toBe(0);
});

test('a broken module is named with its line and the code there', async () => {
  const { root, modules } = project({
    'notebooks/broken.ts': 'export const a = 1;\nexport const b: number = (1 + ;\n',
    'notebooks/user.ts': "import { b } from './broken'; export const c = b;",
    'notebooks/broken.json': '{"a": }',
  });
  const error = await caught(modules.importModule('./user'));
  expect(error).toMatchObject({
    code: 'MODULE_SYNTAX',
    where: `${path.join(root, 'notebooks/broken.ts')}:2:31`,
  });
  expect(error.message).toContain('2 | export const b: number = (1 + ;');
  expect(error.message.split('\n').at(-1)!.indexOf('^')).toBe('  2 | '.length + 30);
  const json = await caught(modules.importModule('./broken.json'));
  expect(json).toMatchObject({ code: 'MODULE_SYNTAX', where: path.join(root, 'notebooks/broken.json') });
});

test('a file that is missing is named, with the nearest that exists', async () => {
  const { root, modules } = project({
    'src/helpers.ts': '',
    'notebooks/user.ts': "import '../src/helprs.js';",
  });
  const cell = await caught(modules.importModule('../src/helper'));
  expect(cell).toMatchObject({ code: 'MODULE_NOT_FOUND', message: 'There is no file "../src/helper".' });
  expect(cell.where).toContain(path.join(root, 'notebooks'));
  expect(cell.hint).toContain('Did you mean "../src/helpers.ts"?');
  const module = await caught(modules.importModule('./user'));
  expect(module).toMatchObject({ code: 'MODULE_NOT_FOUND', where: path.join(root, 'notebooks/user.ts') });
});

test('a name that a module does not export is named, with those it does', async () => {
  const { modules } = project({
    'notebooks/a.ts': 'export const metres = 1; export type Unit = string;',
    'notebooks/b.ts': "import { meters } from './a'; export const m = meters;",
    'notebooks/c.ts': "import { readFil } from 'node:fs'; export const m = readFil;",
    'notebooks/types.ts': "export { Unit } from './a'; export const fine = true;",
  });
  expect(await caught(modules.importModule('./b'))).toMatchObject({
    code: 'MODULE_EXPORT_MISSING',
    hint: 'Did you mean "metres"? It exports: metres.',
  });
  expect((await caught(modules.importModule('./c'))).hint).toContain('"readFile"');
  expect((await modules.importModule('./types')).fine).toBe(true);
});

test('require gives local modules, JSON and what was imported before', async () => {
  const { modules } = project({
    'notebooks/a.ts':
      "import { sep } from 'node:path'; import * as data from './data.json'; export default [sep, data.n];",
    'notebooks/data.json': { n: 1 },
    'notebooks/waits.ts': 'export const x = await 1;',
    'notebooks/esm.mjs': 'export const late = await 1; export default 2;',
  });
  expect(modules.requireModule('./data.json')).toEqual({ n: 1 });
  expect(modules.requireModule('./a')).toMatchObject({ __esModule: true, default: ['/', 1] });
  expect(() => modules.requireModule('./waits')).toThrow(
    expect.objectContaining({ code: 'MODULE_TOP_LEVEL_AWAIT' }),
  );
  expect(() => modules.requireModule('./esm.mjs')).toThrow(
    expect.objectContaining({ code: 'MODULE_NEEDS_IMPORT' }),
  );
  await modules.importModule('./waits');
  await modules.importModule('./esm.mjs');
  expect(modules.requireModule('./waits')).toMatchObject({ x: 1 });
  expect(modules.requireModule('./esm.mjs')).toMatchObject({ __esModule: true, late: 1, default: 2 });
});

test('a require in a cycle sees what is there so far', () => {
  const { modules } = project({
    'notebooks/a.ts': "import { b } from './b'; export const a = 1; export const seen = b;",
    'notebooks/b.ts': "import * as a from './a'; export const b = Object.keys(a);",
  });
  expect(modules.requireModule('./a')).toMatchObject({ seen: ['a', 'seen'] });
});

test('translation goes on after an interrupt ended its process', async () => {
  const { modules } = project({
    'notebooks/a.ts': 'export const a: number = 1;',
    'notebooks/b.ts': 'export const b: number = 2;',
  });
  await modules.importModule('./a');
  const { execFileSync } = await import('node:child_process');
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  });
  const service = /^\s*(\d+) .*esbuild.*--service/m.exec(children);
  process.kill(Number(service?.[1]), 'SIGINT');
  expect((await modules.importModule('./b')).b).toBe(2);
});
