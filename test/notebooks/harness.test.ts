import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { jupyter, root } from '../support/needs.js';
import { executeNotebook, isAlive, textOf } from '../support/notebook.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-notebook-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cell = (source: string, tags: readonly string[] = []): object => ({
  cell_type: 'code',
  source,
  metadata: { tags },
  outputs: [],
  execution_count: null,
});

function write(name: string, cells: readonly object[]): string {
  const file = path.join(folder, name);
  const kernelspec = { name: 'tslab', display_name: 'TypeScript (tslab)', language: 'typescript' };
  writeFileSync(file, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }));
  return file;
}

describe.skipIf(!jupyter.isMet)('the kernel specification in kernels/tslab', () => {
  it('is found through JUPYTER_PATH, runs plain tslab with injected parameters and leaves no process', async () => {
    const source = write('sum.ipynb', [
      cell('let quick = false;', ['parameters']),
      cell('const total: number = await Promise.resolve(40);\nconsole.log(quick, total + 2);'),
    ]);
    const run = await executeNotebook(source, path.join(folder, 'out.ipynb'), path.join(root, 'notebooks'), {
      quick: true,
    });
    expect(run.failed).toBe('');
    expect(textOf(run.notebook.cells.at(-1)?.outputs?.[0]?.text)).toContain('true 42');
    expect(isAlive(run.pid)).toBe(false);
  });

  it('reports a cell that fails', async () => {
    const source = write('failing.ipynb', [cell('throw new Error("as planned");')]);
    const run = await executeNotebook(source, path.join(folder, 'out.ipynb'), path.join(root, 'notebooks'));
    expect(run.failed).toContain('CellExecutionError');
    expect(isAlive(run.pid)).toBe(false);
  });
});
