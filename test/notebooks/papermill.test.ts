import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, type Outcome } from '../support/command-line.js';
import { jupyter, root } from '../support/needs.js';
import { readNotebook, textOf } from '../support/notebook.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-papermill-'));
afterAll(() => rmSync(folder, { recursive: true }));

const python = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  execute(jupyter.program, args, { cwd: folder, env: { ...jupyter.env, ...env } });

const isInstalled = jupyter.isMet && (await python(['-c', 'import papermill'])).code === 0;
const packages = path.join(folder, 'packages');

/** Runs papermill with the package of kernels/papermill beside it. */
const papermill = (args: readonly string[]): Promise<Outcome> =>
  python(['-m', 'papermill', ...args], {
    JUPYTER_PATH: root,
    PYTHONPATH: [packages, jupyter.env.PYTHONPATH].filter(Boolean).join(path.delimiter),
  });

const cell = (source: string, tags: readonly string[] = []): object => ({
  cell_type: 'code',
  source,
  metadata: { tags },
  outputs: [],
  execution_count: null,
});

function write(name: string, cells: readonly object[]): string {
  const file = path.join(folder, name);
  const kernelspec = { name: 'tslab', display_name: 'tslab', language: 'typescript' };
  writeFileSync(file, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }));
  return file;
}

describe.skipIf(!isInstalled)('papermill with the package of kernels/papermill', () => {
  beforeAll(async () => {
    // pip builds beside the sources, so they are copied
    const sources = path.join(folder, 'sources');
    cpSync(path.join(root, 'kernels', 'papermill'), sources, { recursive: true });
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', packages, sources];
    const { code, stderr } = await python(args);
    expect(code, stderr).toBe(0);
  });

  it('writes parameters in TypeScript', async () => {
    const source = write('sum.ipynb', [
      cell('let quick = false;\nlet names: string[] = []; // of sites', ['parameters']),
      cell('console.log(quick, names.join("+"));'),
    ]);
    const out = path.join(folder, 'out.ipynb');
    const yaml = '{quick: true, names: ["a \\"b\\"", "c"]}';
    const { code, stderr } = await papermill([source, out, '-y', yaml]);
    expect(code, stderr).toBe(0);
    const { cells } = readNotebook(out);
    expect(textOf(cells[1]!.source)).toBe('// Parameters\nquick = true;\nnames = ["a \\"b\\"", "c"];\n');
    expect(textOf(cells[2]!.outputs![0]!.text)).toContain('true a "b"+c');
  });

  it.each([
    ['-p quick false', 'not assignable'],
    ['-p quik True', "'quik'"],
  ])('has the compiler refuse %s: a text, and a name that is not declared', async (args, reason) => {
    const source = write('wrong.ipynb', [cell('let quick = true;', ['parameters'])]);
    const { code, stderr } = await papermill([
      source,
      path.join(folder, 'wrong.out.ipynb'),
      ...args.split(' '),
    ]);
    expect(code).not.toBe(0);
    const { cells } = readNotebook(path.join(folder, 'wrong.out.ipynb'));
    const printed = cells.flatMap((entry) => entry.outputs ?? []).map((output) => textOf(output.text));
    expect(stderr + printed.join('')).toContain(reason);
  });

  it('lists the parameters of a notebook', async () => {
    const source = write('help.ipynb', [
      cell('let quick = false; // fast\nlet names: string[] = [];', ['parameters']),
    ]);
    const { stdout } = await papermill(['--help-notebook', source]);
    expect(stdout).toMatch(/quick: Unknown type \(default false\)\s+fast/);
    expect(stdout).toMatch(/names: string\[\] \(default \[\]\)/);
  });
});
