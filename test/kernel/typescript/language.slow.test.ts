import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { languageInFolder, type LanguageInFolder } from './in-folder.js';

let notebook: LanguageInFolder;
beforeAll(() => {
  notebook = languageInFolder();
}, 60_000);
afterAll(() => notebook.remove());
afterEach(() => {
  notebook.language.setStrictness('loose');
  notebook.language.reset();
});

const codes = (code: string): number[] => notebook.run(code).map((diagnostic) => diagnostic.code);

describe('what a cell is checked against', () => {
  test('a local module that was edited is read again', () => {
    const file = path.join(notebook.folder, 'edited.ts');
    writeFileSync(file, 'export const value: number = 1;');
    expect(notebook.run("import { value } from './edited';\nvalue.toFixed()")).toEqual([]);
    writeFileSync(file, "export const value: string = 'one';");
    utimesSync(file, new Date(), new Date(Date.now() + 5000)); // two writes may fall into one tick of the clock
    expect(codes("import { value } from './edited';\nvalue.toFixed()")).toEqual([2551]);
    expect(codes("import { value } from './edited';\nvalue.trim()")).toEqual([]);
  });

  test('a module that was missing is found by the same cell once it is there', () => {
    const file = path.join(notebook.folder, 'later.ts');
    const cell = "import { later } from './later';\nlater + 1";
    expect(notebook.run(cell)).toMatchObject([{ severity: 'error', code: 2307, line: 1, column: 23 }]);
    writeFileSync(file, 'export const later = 1;');
    expect(notebook.run(cell)).toEqual([]);
  });

  test('a package that a cell installed is found by the next', () => {
    const folder = path.join(notebook.folder, 'node_modules', 'fresh-package');
    const cell = "import { fresh } from 'fresh-package';\nfresh.length";
    expect(codes(cell)).toEqual([2307]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'package.json'),
      '{"name":"fresh-package","version":"1.0.0","types":"i.d.ts"}',
    );
    writeFileSync(path.join(folder, 'i.d.ts'), 'export declare const fresh: string;');
    expect(codes(cell)).toEqual([]);
  });

  test('a package without types does not stop a cell', () => {
    const folder = path.join(notebook.folder, 'node_modules', 'plain-package');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'package.json'),
      '{"name":"plain-package","version":"1.0.0","type":"module","exports":{"./sub":{"import":"./sub.js"},".":"./i.js"}}',
    );
    writeFileSync(path.join(folder, 'i.js'), 'export const plain = 1;');
    const cell = "import { plain } from 'plain-package';\nplain.anything()";
    expect(notebook.run(cell)).toEqual([]);
    notebook.language.setStrictness('strict');
    expect(notebook.run(cell)).toMatchObject([{ severity: 'warning', code: 7016 }]);
  });

  test('errors in a local module are told once, as warnings with its path', () => {
    const file = path.join(notebook.folder, 'faulty.ts');
    writeFileSync(file, 'export const ok = 1;\nexport const wrong: number = "text";\n');
    const cell = "import { ok } from './faulty';\nok";
    expect(notebook.run(cell)).toMatchObject([
      { severity: 'warning', code: 2322, file, line: 2, column: 14 },
    ]);
    expect(notebook.run(cell)).toEqual([]);
  });

  test('paths of tsconfig.json are followed, its strictness is not', () => {
    const inner = languageInFolder();
    try {
      const cell = "import { Deep } from '@lib/deep';\nconst unused: string = null; new Deep(1).area()";
      expect(inner.run(cell)).toMatchObject([{ code: 2307 }]);
      writeFileSync(
        path.join(inner.folder, 'tsconfig.json'),
        '{ // comment\n "compilerOptions": { "strict": true, "noUnusedLocals": true, "paths": { "@lib/*": ["./lib/*"] }, }, }',
      );
      expect(inner.run(cell)).toEqual([]);
    } finally {
      inner.remove();
    }
  }, 30_000);

  test('messages do not name the modules behind the cells', () => {
    notebook.run('class Model { layers = 1 } let model = new Model(); enum Mode { A }');
    const [first] = notebook.run('model = Mode.A;');
    expect(first!.message).toBe("Type 'Mode' is not assignable to type 'Model'.");
    const [second] = notebook.run('model.nothing');
    expect(second!.message).toBe("Property 'nothing' does not exist on type 'Model'.");
  });

  test('inference through very many cells comes to an end', () => {
    notebook.run('class Chain<T> { items = new Map<T, Chain<T>>(); next() { return this; } }');
    notebook.run('let a = new Chain<number>(); let list = [1];');
    for (let round = 0; round < 70; round++) {
      expect(notebook.run('const b = a.next(); let more = list.map((n) => n + 1);')).toEqual([]);
      expect(notebook.run('const a = b.next(); let list = more.slice();')).toEqual([]);
    }
    expect(notebook.run('const n: number = list[0]; a.items')).toEqual([]);
    expect(codes('const s: string = list[0];')).toEqual([2322]);
  }, 60_000);

  test('a reset forgets names and types', () => {
    notebook.run('const a = 1; interface I { x: number }');
    notebook.language.reset();
    expect(codes('a + 1')).toEqual([2304]);
    expect(codes('let i: I;')).toEqual([2304]);
  });

  test('a cell that was converted and never committed leaves no names', () => {
    notebook.language.convert({ id: 'never', count: 99, code: 'const ghost = 1;' });
    expect(codes('ghost')).toEqual([2304]);
  });
});

describe('completion', () => {
  const complete = (code: string, position = code.length) => notebook.language.complete(code, position)!;

  test('members and names replace what was typed', () => {
    const text = complete("const qq = 'x'; qq.toUpper");
    expect(text.matches).toEqual(['toUpperCase']);
    expect([text.start, text.end]).toEqual([19, 26]);
    expect(complete('proce').matches).toContain('process');
    expect(complete('Math.sqr')).toMatchObject({ start: 5, end: 8, matches: ['sqrt'], types: ['method'] });
  });

  test('the rest of a word behind the cursor is replaced too', () => {
    expect(complete('Math.sqxx', 7)).toMatchObject({ start: 5, end: 9, matches: ['sqrt'] });
  });

  test('names and members of earlier cells are known', () => {
    notebook.run(
      'const station = { elevation: 12, readings: [1, 2] }; function stationName() { return "x"; }',
    );
    expect(complete('stat').matches).toEqual(expect.arrayContaining(['station', 'stationName']));
    expect(complete('station.el').matches).toEqual(['elevation']);
    expect(complete('station.readings.fla').matches).toEqual(['flat', 'flatMap']);
  });

  test('names of the same cell, also below the cursor, are known', () => {
    expect(complete('function below() { return 1; }\nbel').matches).toEqual(['below']);
    expect(complete('inde\nconst index = 1;', 4).matches).toContain('index');
  });

  test('a broken cell still completes', () => {
    expect(complete('const broken = {\n  a: Math.ma').matches).toEqual(['max']);
    expect(complete('if (true) { process.ppi').matches).toEqual(['ppid']);
  });

  test('specifiers of imports are completed', () => {
    expect(complete("import { Square } from './sha", 29).matches).toContain('shapes');
    expect(complete("import fs from 'node:f", 22).matches).toContain('node:fs');
  });

  test('case is not insisted on where nothing fits otherwise', () => {
    expect(complete('Math.FLO').matches).toEqual(['floor']);
  });

  test('nothing is offered where nothing fits', () => {
    expect(notebook.language.complete('Math.zzz', 8)).toBeUndefined();
    expect(notebook.language.complete('"plain tex', 10)).toBeUndefined();
  });
});

describe('inspection', () => {
  const inspect = (code: string, position = code.length, source = false) =>
    notebook.language.inspect(code, position, source);

  test('signature and documentation of library functions', () => {
    const { text, markdown } = inspect('console.log')!;
    expect(text).toContain('Console.log(message?: any');
    expect(text).toContain('Prints to `stdout` with newline');
    expect(markdown).toContain('```typescript');
  });

  test('names of earlier cells with their comment, and their source on demand', () => {
    notebook.run(
      '/** Adds one. */\nfunction inc(n: number) {\n  return n + 1;\n}\n/** How many. */ const many = 3;',
    );
    expect(inspect('inc')!.text).toBe('function inc(n: number): number\n\nAdds one.');
    expect(inspect('inc', 3, true)!.text).toContain('return n + 1;');
    expect(inspect('many')!.text).toBe('const many: 3\n\nHow many.');
  });

  test('inside a call the function that is called', () => {
    expect(inspect('Math.max(1, ')!.text).toContain('Math.max(...values: number[]): number');
  });

  test('nothing is said about nothing', () => {
    expect(inspect('   ')).toBeUndefined();
    expect(inspect('nobodyKnows')?.text ?? '').not.toContain('function');
  });
});

describe('completeness', () => {
  const status = (code: string): string => notebook.language.isComplete(code).status;

  test.each([
    '1',
    "console.log('hi')",
    'function f() { return 1 }',
    'const x: number = 1;',
    'await f()',
    '',
    'x // (',
    'a\n++b',
  ])('%j is complete', (code) => expect(status(code)).toBe('complete'));
  test.each([
    'function f() {',
    'const a = [1,',
    '`abc',
    'if (true) {\n',
    'foo(',
    '/* abc',
    'const x =',
    'a +',
    'foo.',
    'class A',
    'try { }',
    '`${a',
    'x = {\n  a: 1,',
    'import { a',
    '@dec',
    'type A =',
    "'next \\\\",
  ])('%j is incomplete', (code) => expect(status(code)).toBe('incomplete'));
  test.each(['const = 3;', 'let x = ;)', 'import', "'open", ')', 'a b', 'let 1x'])('%j is invalid', (code) =>
    expect(status(code)).toBe('invalid'),
  );

  test('the next line of a block is indented', () => {
    expect(notebook.language.isComplete('if (a) {')).toEqual({ status: 'incomplete', indent: '  ' });
    expect(notebook.language.isComplete('if (a) {\n  f(1,')).toEqual({ status: 'incomplete', indent: '  ' });
    expect(notebook.language.isComplete('const f = (x) => {\n  if (x) {')).toEqual({
      status: 'incomplete',
      indent: '    ',
    });
  });
});

describe('a file that disappears', () => {
  test('is missing for the next cell', () => {
    const file = path.join(notebook.folder, 'gone.ts');
    writeFileSync(file, 'export const gone = 1;');
    expect(codes("import { gone } from './gone';\ngone")).toEqual([]);
    rmSync(file);
    expect(codes("import { gone } from './gone';\ngone")).toEqual([2307]);
  });
});
