import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-start-up-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Packages that a command line loads, by name. */
async function packagesLoadedBy(args: readonly string[]): Promise<{ names: Set<string>; elapsedMs: number }> {
  const log = path.join(folder, 'imports.txt');
  rmSync(log, { force: true });
  const logger = pathToFileURL(path.join(root, 'test', 'support', 'log-imports.mjs')).href;
  const started = performance.now();
  const { code, stderr } = await gondwana(args, {
    nodeOptions: ['--import', logger],
    env: { GONDWANA_IMPORT_LOG: log },
  });
  const elapsedMs = performance.now() - started;
  expect(code, stderr).toBe(0);
  const names = [...readFileSync(log, 'utf8').matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g)].map(
    (match) => match[1]!,
  );
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
