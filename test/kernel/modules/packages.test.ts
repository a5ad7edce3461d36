import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createModuleLoader, type ModuleLoader } from '../../../src/kernel/modules/loader.js';
import { tempFolder } from '../../support/temp-folder.js';
import { writeFiles } from '../../support/write-files.js';

const repository = path.resolve(import.meta.dirname, '../../..');

const inRepository = (): ModuleLoader =>
  createModuleLoader({ folder: path.join(repository, 'notebooks'), kernelPackageRoot: repository });

function inFolder(files: Readonly<Record<string, unknown>>): { root: string; modules: ModuleLoader } {
  const root = tempFolder();
  writeFiles(root, files);
  return { root, modules: createModuleLoader({ folder: root, kernelPackageRoot: repository }) };
}

const caught = async (
  promise: Promise<unknown>,
): Promise<{ code: string; where: string; hint: string } & Error> =>
  promise.then(
    () => expect.fail('it loads'),
    (error: unknown) => error as never,
  );

test('packages load from the folder of notebooks, ES modules with top-level await and the own name included', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  const modules = inRepository();
  const load = async (name: string): Promise<Record<string, unknown>> => modules.importModule(name);
  expect(typeof (await load('vega-lite')).compile).toBe('function');
  expect(typeof (await load('vega')).View).toBe('function');
  expect(typeof (await load('arquero')).table).toBe('function');
  expect(typeof (await load('geotiff')).fromArrayBuffer).toBe('function');
  expect(typeof (await load('zod')).object).toBe('function');
  expect(typeof (await load('gondwana')).defineStudy).toBe('function');
  expect(await load('fs')).toBe(await load('node:fs'));
  expect(warn).not.toHaveBeenCalled();
});

test('a package is one instance for import, require and local modules', async () => {
  const modules = inRepository();
  const imported = await modules.importModule('geotiff');
  expect(modules.requireModule('geotiff')).toMatchObject({ __esModule: true, GeoTIFF: imported.GeoTIFF });
});

test('outside any project gondwana and tslab are the copies of the kernel', async () => {
  const { modules } = inFolder({});
  const own = await inRepository().importModule('gondwana');
  expect((await modules.importModule('gondwana')).defineStudy).toBe(own.defineStudy);
  expect(modules.requireModule('gondwana')).toMatchObject({ defineStudy: own.defineStudy });
  const tslab = await modules.importModule('tslab');
  expect(tslab.display).toBeTypeOf('object');
  expect(tslab).not.toBe(await modules.importModule('gondwana'));
});

test('a project with a gondwana of its own keeps it', async () => {
  const { modules } = inFolder({
    'node_modules/gondwana/package.json': { name: 'gondwana', exports: './own.mjs' },
    'node_modules/gondwana/own.mjs': "export const whose = 'project';",
  });
  expect((await modules.importModule('gondwana')).whose).toBe('project');
});

test('exports without a require condition, the own name and #imports resolve as in a file of the project', async () => {
  const { modules } = inFolder({
    'package.json': {
      name: 'mine',
      type: 'module',
      exports: { '.': './lib/main.js' },
      imports: { '#data': './lib/data.js' },
    },
    'lib/main.js': 'export const whose = import.meta.url;',
    'lib/data.js': 'export const data = 1;',
    'node_modules/only-import/package.json': {
      name: 'only-import',
      exports: { '.': { import: './a.mjs' }, './sub/*': { import: './sub/*.mjs' } },
    },
    'node_modules/only-import/a.mjs': 'export default await 5;',
    'node_modules/only-import/sub/b.mjs': 'export const b = 6;',
    'local.ts':
      "import five from 'only-import'; export { b } from 'only-import/sub/b'; export const a = five;",
  });
  expect(await modules.importModule('./local')).toMatchObject({ a: 5, b: 6 });
  expect((await modules.importModule('mine')).whose).toMatch(/lib\/main\.js$/);
  expect((await modules.importModule('#data')).data).toBe(1);
});

test('default of a CommonJS package that was an ES module is its default export, and no name is missing', async () => {
  const { modules } = inFolder({
    'node_modules/compiled/package.json': { name: 'compiled' },
    'node_modules/compiled/index.js':
      "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'the default'; exports.named = 1;",
    'node_modules/hidden/package.json': { name: 'hidden' },
    'node_modules/hidden/index.js': 'const all = { found: 2 }; module.exports = Object.assign({}, all);',
    'node_modules/plain/package.json': { name: 'plain' },
    'node_modules/plain/index.js': 'module.exports = function plain() {}; module.exports.extra = 3;',
    'local.ts':
      "import it, { named } from 'compiled'; import { found } from 'hidden'; export const all = [it, named, found];",
  });
  expect((await modules.importModule('./local')).all).toEqual(['the default', 1, 2]);
  const plain = await modules.importModule('plain');
  expect(plain.default).toBeTypeOf('function');
  expect(plain.extra).toBe(3);
});

test('a package of a workspace whose entry is TypeScript is loaded', async () => {
  const { modules } = inFolder({
    'node_modules/sources/package.json': { name: 'sources', type: 'module', exports: './src/index.ts' },
    'node_modules/sources/src/index.ts': 'export const typed: number = 1;',
  });
  expect((await modules.importModule('sources')).typed).toBe(1);
});

test('a package that is missing is named with the command that installs it, and loads once it is there', async () => {
  const { root, modules } = inFolder({
    'package.json': { name: 'p' },
    'node_modules/arquero/package.json': { name: 'arquero' },
    'deep/user.ts': "import 'not-there/sub';",
  });
  expect(await caught(modules.importModule('arqero'))).toMatchObject({
    code: 'MODULE_NOT_FOUND',
    message: 'Cannot find the package "arqero".',
    where: `a cell in ${root}`,
    hint: `Did you mean "arquero"? Otherwise: npm install arqero  (in ${root})`,
  });
  const inner = await caught(modules.importModule('./deep/user'));
  expect(inner).toMatchObject({
    message: 'Cannot find the package "not-there".',
    where: path.join(root, 'deep/user.ts'),
  });
  expect((await caught(modules.importModule('@/utils'))).hint).toContain('"paths"');
  writeFiles(root, {
    'node_modules/not-there/package.json': { name: 'not-there', type: 'module' },
    'node_modules/not-there/sub': '',
    'node_modules/not-there/index.js': 'export const there = true;',
  });
  expect((await modules.importModule('not-there')).there).toBe(true);
});

test('outside a project the hint begins with npm init', async () => {
  const { root, modules } = inFolder({});
  expect((await caught(modules.importModule('nowhere-to-be-found'))).hint).toBe(
    `npm init --yes && npm install nowhere-to-be-found  (in ${root})`,
  );
});

test('a path that a package does not export, a URL and an unknown file type are told apart', async () => {
  const { modules } = inFolder({ 'table.csv': 'a,b' });
  const codes = await Promise.all(
    ['gondwana/inner', 'https://example.org/x.js', 'npm:arquero', './table.csv', 'node:nothing'].map(
      async (name) => (await caught(modules.importModule(name))).code,
    ),
  );
  expect(codes).toEqual([
    'MODULE_NOT_EXPORTED',
    'MODULE_SPECIFIER',
    'MODULE_SPECIFIER',
    'MODULE_SPECIFIER',
    'MODULE_NOT_FOUND',
  ]);
});

test('an error that a package throws while it loads is not dressed up', async () => {
  const { modules } = inFolder({
    'node_modules/throws/package.json': { name: 'throws' },
    'node_modules/throws/index.js': "throw Object.assign(new TypeError('mine'), { code: 'E_MINE' });",
  });
  expect(await caught(modules.importModule('throws'))).toMatchObject({ name: 'TypeError', code: 'E_MINE' });
});

test('the loader starts with nothing but modules of Node', () => {
  const folder = path.join(repository, 'src/kernel/modules');
  const imports = readdirSync(folder).flatMap((name) =>
    [
      ...readFileSync(path.join(folder, name), 'utf8').matchAll(/^import (?!type)[^;]* from '([^'.]+)'/gm),
    ].map(([, specifier]) => specifier!),
  );
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test('a kernel is told before tslab is loaded for a cell', async () => {
  let count = 0;
  const modules = createModuleLoader({
    folder: tempFolder(),
    kernelPackageRoot: repository,
    beforeTslab: () => count++,
  });
  expect((await modules.importModule('tslab')).display).toBeTypeOf('object');
  expect(count).toBe(1);
  expect(await modules.importModule('gondwana')).not.toHaveProperty('newDisplay');
  expect(count).toBe(1);
});
