import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { execute, gondwana, type Outcome, type StartOptions } from '../support/command-line.js';
import { jupyter } from '../support/needs.js';
import { isAlive, readNotebook, textOf, type Notebook, type NotebookCell } from '../support/notebook.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-notebook-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cell = (source: string, tags: readonly string[] = []): object => ({
  cell_type: 'code',
  source,
  metadata: { tags },
  outputs: [],
  execution_count: null,
});

/** A notebook in a folder of its own. */
function write(kernel: string, cells: readonly object[]): string {
  const own = mkdtempSync(path.join(folder, `${kernel}-`));
  const file = path.join(own, 'sum.ipynb');
  const kernelspec = { name: kernel, display_name: kernel, language: 'typescript' };
  writeFileSync(file, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }));
  return file;
}

const run = (file: string, args: readonly string[] = [], options: StartOptions = {}): Promise<Outcome> =>
  gondwana(['notebook', 'run', file, ...args], { cwd: path.dirname(file), ...options });

const errorOf = ({ stdout }: Outcome): Record<'code' | 'message' | 'where' | 'hint', string> =>
  (JSON.parse(stdout) as { error: Record<'code' | 'message' | 'where' | 'hint', string> }).error;

/** What a cell printed and returned, as text. */
const shown = (found: NotebookCell | undefined): string =>
  (found?.outputs ?? [])
    .map((output) => textOf(output.text) || textOf(output.data?.['text/plain'] as string | undefined))
    .join('');

const resultOf = (file: string): Notebook => readNotebook(path.join(path.dirname(file), 'sum.run.ipynb'));
const pidIn = (notebook: Notebook): number => Number(/pid (\d+)/.exec(notebook.cells.map(shown).join())![1]);

/** Waits until a condition holds. */
async function until(condition: () => boolean, withinMs = 60_000): Promise<void> {
  for (const end = Date.now() + withinMs; !condition() && Date.now() < end;)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.each(['tslab', 'gondwana'])('gondwana notebook run on the kernel %s', (kernel) => {
  it('writes the outputs, with the parameters, and leaves no process and no connection file', async () => {
    const file = write(kernel, [
      { cell_type: 'markdown', source: '# Sum', metadata: {} },
      cell('let quick = false;\nlet names: string[] = ["a"];', ['parameters']),
      cell(`import { statSync } from 'node:fs';
const connection = process.argv.find((word) => word.endsWith('connection.json'))!;
console.log('pid', process.pid, 'mode', (statSync(connection).mode & 0o777).toString(8));
console.log('connection', connection);`),
      cell(
        'const total: number = await Promise.resolve(40);\nconsole.log(quick, names.join("+"), total + 2);',
      ),
      cell('console.error("a warning");\ntotal + 3'),
    ]);
    const { code, stdout, stderr } = await run(file, [
      '-p',
      'quick',
      'true',
      '-p',
      'names',
      '["b", "c"]',
      '--json',
    ]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      notebook: file,
      out: path.join(path.dirname(file), 'sum.run.ipynb'),
      kernel,
      cells: { done: 5, total: 5, failed: 0 },
    });
    expect(stderr).toMatch(/cell 5 of 5: \d/);
    const notebook = resultOf(file);
    expect(notebook.cells.map((entry) => entry.metadata.tags ?? [])).toEqual([
      [],
      ['parameters'],
      ['injected-parameters'],
      [],
      [],
      [],
    ]);
    expect(shown(notebook.cells[3])).toContain('mode 600');
    expect(shown(notebook.cells[4])).toContain('true b+c 42');
    expect(shown(notebook.cells[5])).toContain('43');
    expect(notebook.cells[5]!.outputs!.some((output) => output.name === 'stderr')).toBe(true);
    expect(isAlive(pidIn(notebook))).toBe(false);
    const connection = /connection (\S+)/.exec(shown(notebook.cells[3]))![1]!;
    expect(existsSync(path.dirname(connection))).toBe(false);
    expect(textOf(readNotebook(file).cells[1]!.source)).toContain('quick = false'); // the source stays
  });

  it.skipIf(!jupyter.isMet)('writes what nbformat calls valid', async () => {
    const file = write(kernel, [
      cell('console.log(1);'),
      cell('2 + 2'),
      cell('throw new Error("as planned");'),
    ]);
    await run(file, ['--allow-errors']);
    const { stdout, stderr } = await execute(
      jupyter.program,
      [
        '-c',
        'import nbformat, sys; nb = nbformat.read(sys.argv[1], 4); nbformat.validate(nb); print(nb.nbformat_minor)',
        path.join(path.dirname(file), 'sum.run.ipynb'),
      ],
      { env: jupyter.env },
    );
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe('5');
  });

  it('stops at a cell that fails, exits 1, and keeps what was shown until then', async () => {
    const file = write(kernel, [
      cell('console.log("before");'),
      cell('throw new RangeError("as planned");'),
      cell('console.log("after");'),
    ]);
    const outcome = await run(file, ['--json']);
    expect(outcome.code).toBe(1);
    expect(errorOf(outcome)).toMatchObject({ code: 'CELL_FAILED' });
    expect(errorOf(outcome).message).toBe('Cell 2 of 3 failed: RangeError: as planned');
    expect(errorOf(outcome).where).toContain('code cell 2');
    expect(errorOf(outcome).hint).toContain('sum.run.ipynb');
    expect(outcome.stderr).toContain('RangeError: as planned');
    const { cells } = resultOf(file);
    expect(shown(cells[0])).toContain('before');
    expect(cells[1]!.outputs).not.toEqual([]);
    expect(cells[2]!.outputs).toEqual([]);
  });

  it('runs all cells with --allow-errors, one after a failed one too', async () => {
    const file = write(kernel, [cell('throw new Error("as planned");'), cell('console.log("after");')]);
    const { code, stdout } = await run(file, ['--allow-errors']);
    expect(code).toBe(0);
    expect(stdout).toContain('1 failed as allowed');
    expect(shown(resultOf(file).cells[1])).toContain('after');
  });

  it('names a kernel that dies', async () => {
    const file = write(kernel, [
      cell('console.log("pid", process.pid);'),
      cell(
        'process.kill(process.pid, "SIGKILL");\nawait new Promise((resolve) => setTimeout(resolve, 60_000));',
      ),
    ]);
    const outcome = await run(file, ['--json']);
    expect(outcome.code).toBe(1);
    expect(errorOf(outcome).code).toBe('KERNEL_DIED');
    expect(JSON.stringify(errorOf(outcome))).toContain('SIGKILL');
    expect(shown(resultOf(file).cells[0])).toContain('pid');
  });

  it('interrupts a cell that takes longer than --timeout', async () => {
    const file = write(kernel, [
      cell('console.log("pid", process.pid);\nawait new Promise((resolve) => setTimeout(resolve, 60_000));'),
      cell('console.log("after");'),
    ]);
    const outcome = await run(file, ['--timeout', '8', '--json']);
    expect(outcome.code).toBe(1);
    expect(errorOf(outcome)).toMatchObject({ code: 'CELL_TIMEOUT' });
    expect(isAlive(pidIn(resultOf(file)))).toBe(false);
  });

  it('ends with 130 on Ctrl-C: the cell is interrupted, what was shown is kept, and the kernel ends', async () => {
    const file = write(kernel, [
      cell(`require('node:fs').writeFileSync('started', String(process.pid));
console.log('pid', process.pid);
for (;;) { /* busy */ }`),
      cell('console.log("after");'),
    ]);
    const started = path.join(path.dirname(file), 'started');
    const outcome = await run(file, ['--json'], {
      onStart: (child) =>
        void until(() => existsSync(started)).then(() => setTimeout(() => child.kill('SIGINT'), 300)),
    });
    expect(outcome.code).toBe(130);
    expect(errorOf(outcome)).toMatchObject({ code: 'STOPPED', message: 'Stopped after 0 of 2 cells.' });
    const pid = Number(readFileSync(started, 'utf8'));
    await until(() => !isAlive(pid), 2000);
    expect(isAlive(pid)).toBe(false);
    expect(resultOf(file).cells[1]!.outputs).toEqual([]);
  });

  it('leaves no program that a cell has started, also one that does not heed signals', async () => {
    const file = write(kernel, [
      cell(`const { spawn } = require('node:child_process');
const child = spawn('sh', ['-c', 'trap "" INT TERM HUP; echo ready; sleep 60; sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
await new Promise((resolve) => child.stdout.once('data', resolve));
console.log('pid', child.pid);`),
    ]);
    expect((await run(file, ['--json'])).code).toBe(0);
    const pid = pidIn(resultOf(file));
    await until(() => !isAlive(pid), 2000); // a dead process stands in the list until its parent looks
    expect(isAlive(pid)).toBe(false);
  });

  it('makes a page, and Markdown with pictures beside it', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const file = write(kernel, [
      { cell_type: 'markdown', source: '# The sum', metadata: {} },
      cell(`import * as tslab from 'tslab';
tslab.display.png(Buffer.from('${png}', 'base64'));
tslab.display.html('<b>bold</b>');`),
    ]);
    const page = await run(file, ['--to', 'html']);
    expect(page.code, page.stderr).toBe(0);
    const html = readFileSync(path.join(path.dirname(file), 'sum.html'), 'utf8');
    expect(html).toContain('<title>The sum</title>');
    expect(html).toContain(`data:image/png;base64,${png}`);
    expect(html).toContain('<b>bold</b>');
    const markdown = await run(file, ['--out', 'README.md']);
    expect(markdown.code, markdown.stderr).toBe(0);
    expect(readdirSync(path.dirname(file)).sort()).toEqual([
      'README.md',
      'README_files',
      'sum.html',
      'sum.ipynb',
    ]);
    expect(readFileSync(path.join(path.dirname(file), 'README.md'), 'utf8')).toContain(
      '](README_files/cell-01-1.png)',
    );
  });
});

describe('gondwana notebook run', () => {
  it('runs what notebook new writes, in a folder without a project', async () => {
    const own = mkdtempSync(path.join(folder, 'new-'));
    await gondwana(['notebook', 'new', 'blank'], { cwd: own });
    const { code, stderr } = await run(path.join(own, 'blank.ipynb'), ['-p', 'quick', 'true']);
    expect(code, stderr).toBe(0);
    expect(readdirSync(own).sort()).toEqual(['blank.ipynb', 'blank.run.ipynb']);
  });

  it('may write into the notebook itself', async () => {
    const file = write('tslab', [cell('console.log(6 * 7);')]);
    const { code } = await run(file, ['--out', file]);
    expect(code).toBe(0);
    expect(shown(readNotebook(file).cells[0])).toContain('42');
    expect(readdirSync(path.dirname(file))).toEqual(['sum.ipynb']);
  });

  it.each([
    [['--to', 'pdf'], 2, 'OPTION_VALUE'],
    [['--timeout', '0'], 2, 'OPTION_VALUE'],
    [['-p', 'alone'], 2, 'PARAMETER_FORM'],
    [['-p', 'quik', 'true'], 3, 'PARAMETER_UNKNOWN'],
    [['-p', 'quick', '3'], 3, 'PARAMETER_TYPE'],
    [['--kernel', 'tslob'], 3, 'KERNEL_UNKNOWN'],
  ])('refuses %j before a kernel starts', async (args, code, name) => {
    const file = write('tslab', [cell('let quick = false;', ['parameters'])]);
    const outcome = await run(file, [...args, '--json']);
    expect(outcome.code).toBe(code);
    expect(errorOf(outcome).code).toBe(name);
    expect(readdirSync(path.dirname(file))).toEqual(['sum.ipynb']);
  });

  it.each([
    ['gone.ipynb', undefined, 'FILE_MISSING'],
    ['text.ipynb', 'no JSON', 'NOTEBOOK_MALFORMED'],
    ['old.ipynb', '{"nbformat": 3, "worksheets": []}', 'NOTEBOOK_VERSION'],
  ])('refuses the file %s', async (name, content, code) => {
    const file = path.join(mkdtempSync(path.join(folder, 'bad-')), name);
    if (content !== undefined) writeFileSync(file, content);
    const outcome = await run(file, ['--json']);
    expect(outcome.code).toBe(3);
    expect(errorOf(outcome)).toMatchObject({ code, where: file });
  });

  it('names a kernel whose program is not there, and one whose specification is broken', async () => {
    const own = mkdtempSync(path.join(folder, 'kernels-'));
    const { mkdirSync } = await import('node:fs');
    const spec = (name: string, content: string): void => {
      mkdirSync(path.join(own, 'kernels', name), { recursive: true });
      writeFileSync(path.join(own, 'kernels', name, 'kernel.json'), content);
    };
    spec(
      'absent',
      JSON.stringify({ argv: ['no-such-program', '{connection_file}'], language: 'typescript' }),
    );
    spec('broken', '{"argv": "x"}');
    spec(
      'ending',
      JSON.stringify({ argv: ['node', '-e', 'console.error("no luck"); process.exit(7)'], language: 'x' }),
    );
    for (const [kernel, code, exit] of [
      ['absent', 'KERNEL_START', 1],
      ['broken', 'KERNEL_SPEC', 3],
      ['ending', 'KERNEL_DIED', 1],
    ] as const) {
      const outcome = await run(write(kernel, [cell('1')]), ['--json'], { env: { JUPYTER_PATH: own } });
      expect(outcome.code).toBe(exit);
      expect(errorOf(outcome).code).toBe(code);
      if (kernel === 'ending') expect(errorOf(outcome).message).toContain('no luck');
    }
  });
});
