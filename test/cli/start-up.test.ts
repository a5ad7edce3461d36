import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { gondwana, type Outcome } from '../support/command-line.js';
import { root } from '../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-start-up-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Addresses of the modules that a command line loads. */
async function modulesLoadedBy(
  args: readonly string[],
): Promise<Outcome & { modules: string[]; elapsedMs: number }> {
  const log = path.join(folder, 'imports.txt');
  rmSync(log, { force: true });
  const logger = pathToFileURL(path.join(root, 'test', 'support', 'log-imports.mjs')).href;
  const started = performance.now();
  const outcome = await gondwana(args, {
    nodeOptions: ['--import', logger],
    env: { GONDWANA_IMPORT_LOG: log },
  });
  const elapsedMs = performance.now() - started;
  return {
    ...outcome,
    modules: readFileSync(log, 'utf8').split('\n'),
    elapsedMs,
  };
}

/** Packages that a command line loads, by name. */
async function packagesLoadedBy(args: readonly string[]): Promise<{ names: Set<string>; elapsedMs: number }> {
  const { code, stderr, modules, elapsedMs } = await modulesLoadedBy(args);
  expect(code, stderr).toBe(0);
  const names = modules.flatMap((module) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1] ?? []);
  return { names: new Set(names), elapsedMs };
}

/** Each of these takes 0.1 to 1.3 s to load. */
const heavy =
  /^(@tensorflow\/|vega|danfojs|typescript|tslab|@tslab|arquero|esbuild|geotiff|hyparquet|@resvg|zeromq|marked|acorn)/;

describe('a command that computes nothing', () => {
  it.each([
    [['--help']],
    [['models', 'list']],
    [['data', 'info', 'neon-crowns']],
    [['models', 'info', 'efficientnet-lite0']],
    [['published', 'show', 'pangaea-table-9']],
    [['notebook', 'new']],
    [['kernel', 'install', '--prefix', path.join(folder, 'prefix')]],
  ])('%j loads neither TensorFlow.js nor another heavy package', async (args) => {
    const { names, elapsedMs } = await packagesLoadedBy(args);
    expect(names).toContain('commander');
    expect([...names].filter((name) => heavy.test(name))).toEqual([]);
    // told, not asserted: it depends on the load of the machine; the aim is under 300 ms
    process.stdout.write(`gondwana ${args.join(' ')}: ${Math.round(elapsedMs)} ms, with the import log\n`);
  });
});

describe('a command that begins from one file', () => {
  it.each([
    // there is no such submission, and no such study, which is known once all is loaded
    ['worker', path.join(folder, 'none/submissions/0001'), '0'],
    ['status', path.join(folder, 'none')],
  ])('%s loads nothing beside it but what must exist once', async (...args) => {
    const { code, modules } = await modulesLoadedBy(args);
    expect(code).toBe(3);
    const loaded = modules.flatMap((module) => /(?:dist|node_modules)\/.*/.exec(module)?.[0] ?? []);
    expect(loaded.sort()).toEqual([
      'dist/cli/start-bundle.js',
      'dist/errors.js',
      'dist/registry.js',
      'dist/studies/loaded-plugins.js',
    ]);
  });
});
