import { expect } from 'vitest';
import type { Sequence } from '../sequence.js';

/** Imports and exports; the files are those of `notebookFiles`. */
export const modules: readonly Sequence[] = [
  {
    name: 'builtin modules are imported in every form',
    cells: [
      {
        code: "import fs, { existsSync as exists } from 'node:fs';\nimport * as path from 'node:path';\nimport os from 'os';",
        silent: true,
      },
      {
        code: "[typeof fs.readFileSync, exists('/'), path.join('a', 'b'), typeof os.cpus]",
        value: ['function', true, 'a/b', 'function'],
      },
    ],
  },
  {
    name: 'an import that only a later cell uses is there',
    cells: [
      { code: "import { basename } from 'node:path';", silent: true },
      { code: "basename('/a/b.ts')", value: 'b.ts' },
      {
        code: "const parts = ['/x/y'].map((p) => basename(p)); const pack = { basename }; [parts, typeof pack.basename]",
        value: [['y'], 'function'],
      },
    ],
  },
  {
    name: 'imported functions keep this undefined and cannot be assigned',
    cells: [
      { code: "import { join } from 'node:path';", silent: true },
      { code: 'join = null as any', refused: { code: [2632, 2588, 2539] } },
      { code: "join('a')", value: 'a' },
    ],
  },
  {
    name: 'a local TypeScript module brings values and types',
    cells: [
      { code: "import describe, { Square, unit, type Shape, type Size } from './shapes';", silent: true },
      {
        code: 'const s: Shape = new Square(3); const size: Size = { width: 1, height: 2 }; [describe(s), unit.area(), size.height]',
        value: ['area 9', 1, 2],
      },
      { code: "const wrong: Size = { width: 'x', height: 1 };", refused: { code: 2322 } },
    ],
  },
  {
    name: 'types need no type keyword to be imported',
    cells: [
      { code: "import { Shape, Square, Size } from './shapes.js';", silent: true },
      { code: 'const s: Shape = new Square(2); s.area()', value: 4 },
      {
        code: "import { Size } from './shapes.js';\nconst z: Size = { width: 1, height: 2 }; z.width",
        value: 1,
      },
    ],
  },
  {
    name: 'type-only imports leave nothing at run time',
    cells: [
      { code: "import type { Shape } from './shapes';\nimport type * as all from './shapes';", silent: true },
      {
        code: 'const s: Shape = { area: () => 5 }; const t: all.Size = { width: 1, height: 1 }; s.area()',
        value: 5,
      },
    ],
  },
  {
    name: 'imported bindings are live',
    cells: [
      { code: "import { count, next } from './shapes';", silent: true },
      { code: 'const before = count; next(); next(); count - before', value: 2 },
    ],
  },
  {
    name: 'a module is evaluated once for many imports',
    cells: [
      { code: "import { created } from './counter';", silent: true },
      {
        code: "import * as counter from './counter.ts';\nconst again = await import('./counter');\n[created === counter.created, again.created === created]",
        value: [true, true],
      },
    ],
  },
  {
    name: 'modules import and export each other’s names',
    cells: [
      { code: "import { Deep, shapes } from './lib/deep';", silent: true },
      { code: '[new Deep(2).area(), shapes.Square === Deep]', value: [4, true] },
    ],
  },
  {
    name: 'JSON is imported with and without attributes',
    cells: [
      { code: "import table from './table.json' with { type: 'json' };", silent: true },
      { code: 'table.rows.length + table.name', value: '3table' },
      { code: "import plain from './table.json';\nplain.rows", value: [1, 2, 3] },
    ],
  },
  {
    name: 'dynamic imports give namespaces, in functions too',
    cells: [
      {
        code: "const load = async (name: string) => await import(name); const shapes = await import('./shapes');",
        silent: true,
      },
      {
        code: "const os = await load('node:os'); [typeof os.cpus, new shapes.Square(2).area()]",
        value: ['function', 4],
      },
      { code: "import('./nowhere')", refused: { code: 2307 } },
      {
        code: "await load('./nowhere')",
        throws: { name: expect.any(String) as unknown as string, message: /nowhere/ },
      },
    ],
  },
  {
    name: 'a module with a top-level await is imported',
    cells: [{ code: "import { slow } from './slow';\nslow", value: 7 }],
  },
  {
    name: 'a name that a module does not export is refused',
    cells: [
      {
        code: "import { nothing } from './shapes';",
        refused: { code: [2305, 2724, 2614], line: 1, column: 10 },
      },
      { code: "import { nope } from './nowhere';", refused: { code: 2307, line: 1, column: 22 } },
    ],
  },
  {
    name: 'a name that a module does not export throws where types are not checked',
    strictness: 'off',
    cells: [
      {
        code: "import { nothing } from './shapes';",
        throws: { name: 'InputError', message: '"./shapes" does not export "nothing".' },
      },
    ],
  },
  {
    name: 'a module without types is imported as any',
    cells: [
      { code: "import other, { answer } from './untyped.js';\n[other.name, answer]", value: ['untyped', 42] },
      { code: "import old from './old.cjs';\n[old.kind, old.twice(4)]", value: ['cjs', 8] },
    ],
  },
  {
    name: 'require, __dirname and import.meta are those of the notebook’s folder',
    cells: [
      {
        code: "const old = require('./old.cjs'); const fs: typeof import('node:fs') = require('fs'); [old.kind, typeof fs.statSync]",
        value: ['cjs', 'function'],
      },
      { code: 'fs.existsSync(__dirname + "/shapes.ts") && __filename.startsWith(__dirname)', value: true },
      {
        code: "[import.meta.dirname === __dirname, import.meta.url.startsWith('file://'), new URL('./table.json', import.meta.url).pathname.endsWith('/table.json')]",
        value: [true, true, true],
      },
      { code: "import path = require('path');\npath.basename(__dirname + '/x')", value: 'x' },
    ],
  },
  {
    name: 'exports of a cell are its declarations',
    cells: [
      {
        code: 'export const x = 1; export function f() { return x; } export class K { v = f(); } export type T = number; export enum E { A = 3 }',
        silent: true,
      },
      { code: 'const t: T = x; [t, f(), new K().v, E.A]', value: [1, 1, 1, 3] },
      {
        code: 'const y = 2; export { y, y as other }; export * from "./shapes"; export default function named() { return 4; }',
        silent: true,
      },
      { code: '[y, named()]', value: [2, 4] },
      { code: 'export default { study: 5 }', value: { study: 5 } },
    ],
  },
  {
    name: 'an import declared again takes the place of the old name',
    cells: [
      { code: "import { join as tool } from 'node:path';", silent: true },
      { code: 'const tool = 5; tool', value: 5 },
      { code: "import { basename as tool } from 'node:path';\ntool('/a/c')", value: 'c' },
      { code: 'function tool() { return 6; } tool()', value: 6 },
    ],
  },
  {
    name: 'a cell with @module is a module, and a new one when it is run again',
    cells: [
      {
        code: "/** @module palette */\nexport const red: string = '#f00';\nexport type Named = { name: string };\n(globalThis as any).paletteRan = true;",
        silent: true,
      },
      { code: '(globalThis as any).paletteRan', value: undefined },
      {
        code: "import { red, type Named } from './palette';\nconst n: Named = { name: red }; [n, (globalThis as any).paletteRan]",
        value: [{ name: '#f00' }, true],
      },
      { code: '/**\n * Colours.\n * @module palette\n */\nexport const red = 15;', silent: true },
      { code: "import { red as again } from './palette';\nagain + 1", value: 16 },
      { code: 'delete (globalThis as any).paletteRan', value: true },
    ],
  },
  {
    name: 'a cell may export names of earlier cells',
    cells: [
      { code: 'const x = 1; function f() { return x; }', silent: true },
      { code: 'export { x as default, f };', silent: true },
      { code: 'f() + x', value: 2 },
    ],
  },
  {
    name: 'tslab can be imported',
    cells: [
      { code: "import * as tslab from 'tslab';", silent: true },
      { code: '[typeof tslab.display.html, typeof tslab.newDisplay]', value: ['function', 'function'] },
      {
        code: "import 'tslab';\nimport { display as show } from 'tslab';\ntypeof show.png",
        value: 'function',
      },
    ],
  },
];
