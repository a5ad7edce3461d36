import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as gondwana from '../../src/index.js';
import { cellGlobals, globalsFile, installGlobals } from '../../src/kernel/globals.js';
import { execute } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

/** Declaration files that one reaches, and packages they name. */
function reach(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, name] of code.matchAll(/(?:from |import\(|import )['"]([^'"]+)['"]/g)) {
      if (name!.startsWith('.'))
        waiting.push(path.resolve(path.dirname(file), name!.replace(/\.js$/, '.d.ts')));
      else packages.add(name!);
    }
  }
  return { files: [...files].map((file) => path.relative(root, file)).sort(), packages: [...packages] };
}

const CELL = `
display.table([{ a: 1 }], { caption: 'c' });
await display({ any: 'value' }, 2);
display.image({ data: new Uint8Array(4), width: 2, height: 2 });
const handle = display.handle('x');
handle.update(handle.display_id.length);
clearOutput(true);
const name: string = await input('Name: ', { password: true });
for (const x of progress([1, 2, 3], { title: name })) { const y: number = x; void y; }
for await (const x of progress((async function* () { yield 'a'; })())) { const y: string = x; void y; }
const bar = progress(10); bar.advance(3, 'text'); bar.finish();
const signal: AbortSignal = kernel.signal; void signal; void [_, __, ___, Out[3], In[3]?.length];
export {};
`;

describe('the declarations of the globals', () => {
  it('reach few light files and no package: they are part of the program of every cell', () => {
    const { files, packages } = reach(globalsFile());
    expect(packages).toEqual([]);
    expect(files).toEqual([
      'dist/display/chart-output.d.ts',
      'dist/display/comms.d.ts',
      'dist/display/handle.d.ts',
      'dist/display/kernel.d.ts',
      'dist/display/mime.d.ts',
      'dist/display/progress-loop.d.ts',
      'dist/display/progress.d.ts',
      'dist/display/raster.d.ts',
      'dist/display/show.d.ts',
      'dist/display/table.d.ts',
      'kernels/globals.d.ts',
    ]);
    const bytes = files.reduce((sum, file) => sum + readFileSync(path.join(root, file)).length, 0);
    // all of them together are read once, when the kernel starts
    expect(bytes).toBeLessThan(30_000);
  });

  it('type what cells do with them, with this TypeScript and with the one inside tslab', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'cell.mts');
    writeFileSync(file, CELL);
    const options = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, types: ['node'], lib: ['lib.es2022.d.ts'] },
      ...{
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        typeRoots: [path.join(root, 'node_modules/@types')],
      },
    };
    const program = ts.createProgram([file, globalsFile()], options);
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\\n'));
    expect(messages).toEqual([]);
    const fork = path.join(root, 'node_modules/@tslab/typescript-for-tslab/bin/tsc');
    const { stdout, code } = await execute(process.execPath, [
      ...[fork, '--noEmit', '--strict', '--target', 'es2022', '--module', 'es2022', '--lib', 'es2022'],
      ...[
        '--moduleResolution',
        'node10',
        '--types',
        'node',
        '--typeRoots',
        path.join(root, 'node_modules/@types'),
      ],
      ...['--skipLibCheck', 'true', file, globalsFile()],
    ]);
    expect([stdout, code]).toEqual(['', 0]);
  }, 60_000);

  it('declare the globals that are put in place, each of which the package exports', () => {
    const declared = [...readFileSync(globalsFile(), 'utf8').matchAll(/^declare const (\w+):/gm)].map(
      ([, name]) => name!,
    );
    const results = ['_', '__', '___', 'Out', 'In'];
    expect(declared.filter((name) => !results.includes(name)).sort()).toEqual(
      Object.keys(cellGlobals).sort(),
    );
    const exported: Readonly<Record<string, unknown>> = gondwana;
    for (const [name, value] of Object.entries(cellGlobals)) expect(exported[name]).toBe(value);
    const target: Record<string, unknown> = {};
    installGlobals(target);
    expect(target.display).toBe(gondwana.display);
    target.display = 'mine';
    expect(target.display).toBe('mine');
    expect(Object.keys(target)).toEqual([]);
  });
});
