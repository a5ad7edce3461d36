import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadTslab, loadTypeScript, prepareTslab } from '../../../src/kernel/tslab/package.js';

const repository = path.resolve(import.meta.dirname, '../../..');
const requireHere = createRequire(import.meta.url);
const read = (file: string): string => readFileSync(file, 'utf8');
const fileOf = (name: string): string => requireHere.resolve(`tslab/dist/${name}.js`);

test('tslab is installed at the exact version that this engine knows', () => {
  const manifest = JSON.parse(read(path.join(repository, 'package.json'))) as {
    dependencies: Record<string, string>;
  };
  const installed = JSON.parse(read(requireHere.resolve('tslab/package.json'))) as { version: string };
  expect([manifest.dependencies.tslab, installed.version]).toEqual(['1.0.22', '1.0.22']);
  expect(loadTypeScript().version).toBe('5.0.4');
});

test('the functions of tslab that are used exist', () => {
  const tslab = loadTslab();
  expect(tslab.createConverter).toBeTypeOf('function');
  expect(tslab.createExecutor).toBeTypeOf('function');
  expect(tslab.getCodeMetadata('/** @module name */')).toEqual({ module: 'name' });
  expect(tslab.getCodeMetadata('/** @browser */')).toEqual({ mode: 'browser' });
});

test('the inner functions of its TypeScript that are used exist', () => {
  const ts = loadTypeScript() as unknown as Record<string, unknown>;
  const names = [
    'bindSourceFile',
    'createAbstractBuilder',
    'getPreEmitDiagnosticsOfFiles',
    'getTouchingPropertyName',
    'isExpressionNode',
    'isIntrinsicJsxName',
    'skipOuterExpressions',
  ];
  expect(names.filter((name) => typeof ts[name] !== 'function')).toEqual([]);
});

test('its converter and executor look as the seams of this engine expect', () => {
  const converter = read(fileOf('converter'));
  for (const seam of [
    'ts.createWatchCompilerHost(',
    'ts.createWatchProgram(',
    'ts.transpileModule(',
    'ts.getPreEmitDiagnosticsOfFiles(',
    'ts.sys.watchFile(',
    'const srcPrefix = "export {};" + ts.sys.newLine;',
    '"\\nexport {" + Array.from(keys).join(", ") + "}"',
  ]) {
    expect(converter).toContain(seam);
  }
  const executor = read(fileOf('executor'));
  expect(executor).toContain('"(async function(exports, require) { "');
  expect(executor).toContain('"(function(exports, require) { "');
  expect(executor).toContain('__tslab__.exports, __tslab__.require)');
  expect(executor).toContain('vm_1.default.runInThisContext(wrapped, {');
  expect(executor).toContain('new Error("Interrupted asynchronously")');
});

test('the thread that runs cells loads no compiler, also where a cell imports tslab', () => {
  const code = `
    import { createRequire } from 'node:module';
    import { loadTslab } from ${JSON.stringify(path.join(repository, 'dist/kernel/tslab/package.js'))};
    loadTslab();
    const tslab = createRequire(${JSON.stringify(repository)} + '/x.js')('tslab');
    console.log(JSON.stringify([tslab.versions.typescript, process.memoryUsage().heapUsed]));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  const [version, heapUsed] = JSON.parse(printed) as [string, number];
  expect(version).toBe('5.0.4');
  expect(heapUsed).toBeLessThan(25e6); // 10 MB without TypeScript, 70 MB with it
});

test('its displays call a function that can be set', () => {
  prepareTslab();
  const jupyter = requireHere('tslab/dist/jupyter.js') as { lastWriteDisplayData: unknown };
  const calls: unknown[][] = [];
  jupyter.lastWriteDisplayData = (...given: unknown[]) => void calls.push(given);
  try {
    const tslab = requireHere('tslab') as {
      display: { png(bytes: Uint8Array): void };
      newDisplay(): { text(text: string): void };
    };
    tslab.display.png(Uint8Array.of(1, 2, 3));
    const handle = tslab.newDisplay();
    handle.text('one');
    handle.text('two');
  } finally {
    jupyter.lastWriteDisplayData = null;
  }
  expect(calls).toMatchObject([
    [{ data: { 'image/png': 'AQID' } }, undefined],
    [{ data: { 'text/plain': 'one' }, transient: { display_id: expect.any(String) } }, undefined],
    [{ data: { 'text/plain': 'two' } }, true],
  ]);
});
