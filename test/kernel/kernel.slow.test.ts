import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineNames } from '../../src/kernel/cell-engine.js';
import { startKernel, type CellResult, type KernelClient } from '../support/kernel/client.js';

// The kernel as Jupyter starts it, with every engine: what a notebook's user sees and does.

const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'gondwana-kernel-test-')));
afterAll(() => rmSync(scratch, { recursive: true }));

const traceback = ({ error }: CellResult): string =>
  stripVTControlCharacters((error?.traceback ?? []).join('\n'));

describe.each(engineNames)('the kernel with the engine %s', (engine) => {
  let kernel: KernelClient;
  const env = { GONDWANA_CELL_ENGINE: engine };
  const start = (more: Record<string, string> = {}): Promise<KernelClient> =>
    startKernel({ spec: 'gondwana', cwd: scratch, env: { ...env, ...more } });
  beforeAll(async () => {
    kernel = await start();
  });
  afterAll(() => kernel.stop());
  const run = (code: string, options = {}): Promise<CellResult> => kernel.execute(code, options);

  describe('results', () => {
    it('shows the last expression, keeps it in _ and Out, and shows nothing for undefined', async () => {
      const { result, count } = await run('const total: number = 40;\ntotal + 2');
      expect(result).toBe('42');
      expect((await run('_ * 2')).result).toBe('84');
      expect((await run(`Out[${count}] + __`)).result).toBe('84');
      expect((await run('undefined')).outputs).toEqual([]);
      expect((await run('null')).result).toBe('null');
    });

    it('awaits at top level, and shows what lies in objects', async () => {
      expect((await run("await Promise.resolve({ band: 'B04', gsd: [10, 20] })")).result).toBe(
        "{ band: 'B04', gsd: [ 10, 20 ] }",
      );
    });

    it('shows an object that has Jupyter.display in its own way', async () => {
      const { bundle } = await run(
        "({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': '<b>own</b>', 'text/plain': 'own' }) })",
      );
      expect(bundle).toEqual({ 'text/html': '<b>own</b>', 'text/plain': 'own' });
    });

    it('says that a Jupyter.display throws, and goes on', async () => {
      const cell = await run("({ [Symbol.for('Jupyter.display')]() { throw new Error('no picture') } })");
      expect(cell.status === 'error' || cell.result !== undefined).toBe(true);
      expect(cell.result ?? traceback(cell)).toContain('no picture');
      expect((await run('1')).result).toBe('1');
    });

    it('evaluates user expressions', async () => {
      const { reply } = await run('const seven = 7;', {
        userExpressions: { good: 'seven + 1', bad: 'nowhere()' },
      });
      expect(reply.user_expressions).toMatchObject({
        good: { status: 'ok', data: { 'text/plain': '8' } },
        bad: { status: 'error' },
      });
    });

    it('neither counts nor keeps nor shows a silent cell', async () => {
      const { count } = await run('1');
      const silent = await run('99', { silent: true });
      expect(silent.outputs).toEqual([]);
      const next = await run('_');
      expect([next.result, next.count]).toEqual(['1', count! + 1]);
    });
  });

  describe('errors', () => {
    it('name cell, line and column, and show the line', async () => {
      const cell = await run(
        'function inner(): never {\n  throw new RangeError("as planned");\n}\n\ninner();',
      );
      expect(cell.error).toMatchObject({ ename: 'RangeError', evalue: 'as planned' });
      const text = traceback(cell);
      expect(text).toContain(`Cell [${cell.count}], line 2, column 9`);
      expect(text).toContain('→ 2 |   throw new RangeError("as planned");');
      expect(text).toContain(`at inner (Cell [${cell.count}]:2:9)`);
      // the call is rewritten, so its column is that of the name or of the parenthesis
      expect(text).toMatch(new RegExp(`Cell \\[${cell.count}\\]:5:[16]\\b`));
      expect(text).not.toMatch(/node:internal|node:vm|tslab|dist.kernel/);
    });

    it('name the cell a function came from, also when a later cell calls it', async () => {
      const first = await run(
        'const later = (n: number) => {\n  if (n > 1) throw new Error("deep");\n  return n;\n};',
      );
      const cell = await run('const { length } = "ab";\nlater(length)');
      expect(traceback(cell)).toContain(`Cell [${first.count}]:2:20`);
      expect(traceback(cell)).toMatch(new RegExp(`Cell \\[${cell.count}\\]:2:[16]\\b`));
    });

    it('of types keep the cell from running', async () => {
      const cell = await run('console.log("ran");\nconst wrong: number = "text";');
      expect(cell.stdout).toBe('');
      expect(cell.error!.evalue).toMatch(/line 2, column 7, TS2322/);
      expect(traceback(cell)).toContain('→ 2 | const wrong: number = "text";');
    });

    it('of syntax say where', async () => {
      const cell = await run('const ok = 1;\nlet x = ;');
      expect(cell.error!.ename).toBe('SyntaxError');
      expect(cell.error!.evalue).toContain('line 2');
    });

    it('abort the cells that are queued behind', async () => {
      const cells = [run('await 0; throw new Error("first")'), run('1'), run('2')];
      expect((await Promise.all(cells)).map(({ status }) => status)).toEqual(['error', 'aborted', 'aborted']);
      expect((await run('3')).result).toBe('3');
    });

    it('of timers and promises that nobody awaits are told, and the kernel stays up', async () => {
      await run(
        'setTimeout(() => { throw new Error("late one"); }, 5); Promise.reject(new Error("late two")); 0',
      );
      await sleep(100);
      const late = await run('1');
      expect(late.result).toBe('1');
      const text = kernel.messages
        .filter(({ type }) => type === 'stream')
        .map(({ content }) => stripVTControlCharacters(String(content.text)))
        .join('');
      expect(text).toContain('late one');
      expect(text).toContain('late two');
    });

    it('does not let a cell end the process', async () => {
      const cell = await run('process.exit(3)');
      expect(cell.error!.ename).toBe('KERNEL_EXIT');
      expect((await run('1')).result).toBe('1');
    });
  });

  describe('output', () => {
    it('of 10,000 lines arrives in order before idle', async () => {
      const { stdout } = await run('for (let i = 0; i < 10000; i++) console.log(i);');
      expect(stdout).toBe(Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join(''));
    });

    it('keeps the order of text, displays and errors', async () => {
      const { outputs } = await run(
        'console.log("a"); display.html("<i>b</i>"); console.error("c"); display.markdown("d"); "e"',
      );
      expect(outputs.map(({ type }) => type)).toEqual([
        'stream',
        'display_data',
        'stream',
        'display_data',
        'execute_result',
      ]);
    });

    it('of children and native code is captured, before idle', async () => {
      const { stdout } = await run(
        "import { spawnSync } from 'node:child_process';\n" +
          "import { writeSync } from 'node:fs';\n" +
          "spawnSync('echo', ['from a child'], { stdio: 'inherit' }); writeSync(1, 'from the descriptor\\n'); 0",
      );
      expect(stdout).toContain('from a child');
      expect(stdout).toContain('from the descriptor');
    });

    it('beyond the limit is not shown, and said so', async () => {
      const own = await start({ GONDWANA_OUTPUT_LIMIT_MB: '1' });
      try {
        const cell = await own.execute(
          'const line = "x".repeat(1023);\nfor (let i = 0; i < 5000; i++) console.log(line);',
        );
        expect(cell.status).toBe('ok');
        expect(cell.stdout.length).toBeLessThanOrEqual(2 ** 20);
        expect(cell.stderr).toContain('OUTPUT_LIMIT');
        expect((await own.execute('1')).result).toBe('1');
      } finally {
        await own.stop();
      }
    });

    it('can be cleared, and a handle changes what was shown', async () => {
      const { outputs } = await run(
        'const handle = display.handle("one"); clearOutput(true); handle.update("two");',
      );
      expect(outputs.map(({ type }) => type)).toEqual([
        'display_data',
        'clear_output',
        'update_display_data',
      ]);
      const [shown, , updated] = outputs as unknown as { transient?: { display_id?: string } }[];
      expect(shown!.transient!.display_id).toBeTruthy();
      expect(updated!.transient!.display_id).toBe(shown!.transient!.display_id);
    });

    it('of tslab.display arrives', async () => {
      const { outputs } = await run(
        "import * as tslab from 'tslab';\ntslab.display.html('<b>x</b>');\nconst d = tslab.newDisplay(); d.text('1'); d.text('2');",
      );
      expect(outputs.map(({ type }) => type)).toEqual([
        'display_data',
        'display_data',
        'update_display_data',
      ]);
    });
  });

  describe('questions', () => {
    it('of input() are answered, and refused where the front end takes none', async () => {
      kernel.onInput = (prompt, password) => `${prompt}/${password}`;
      expect((await run("await input('name?')", { allowStdin: true })).result).toBe("'name?/false'");
      const refused = await run("await input('name?')");
      expect(refused.error!.ename).toBe('NO_STDIN');
    });

    it('of completion and help are answered while a cell runs', async () => {
      await run('const raster = { height: 3, width: 5 };');
      const busy = kernel.submit('const until = Date.now() + 1500; while (Date.now() < until) {}\n"done"');
      await sleep(200);
      const { matches } = await kernel.complete('raster.hei');
      expect(matches).toContain('height');
      const { data } = await kernel.inspect('Math.hypot');
      expect(JSON.stringify(data)).toContain('hypot');
      expect((await busy.done).result).toBe("'done'");
    });

    it('with ? give a page', async () => {
      await run('/** Ground sampling distance, m. */\nconst gsdM = 10;');
      const { reply, outputs } = await run('gsdM?');
      expect(outputs).toEqual([]);
      expect(JSON.stringify(reply.payload)).toContain('Ground sampling distance');
    });
  });

  describe('magics', () => {
    it('time, count and list', async () => {
      const timed = await run('%time await new Promise((resolve) => setTimeout(resolve, 60)), 5');
      expect(timed.result).toBe('5');
      expect(timed.stdout).toMatch(/time: [56789]\d(\.\d)? ms/);
      expect((await run('%timeit -n 10 Math.sqrt(2)')).stdout).toMatch(/median of 7 rounds of 10/);
      await run('let speed = 5;');
      expect(JSON.stringify((await run('%who')).outputs)).toContain('speed');
    });

    it('run commands and change folder and environment', async () => {
      expect((await run('!echo $((6 * 7)) && echo no >&2')).stdout).toBe('42\n');
      expect((await run('%env GONDWANA_TEST_VALUE=7\nprocess.env.GONDWANA_TEST_VALUE')).result).toBe("'7'");
      expect((await run('%pwd')).stdout).toBe(`${scratch}\n`);
      expect((await run('%cd nowhere')).error!.ename).toBe('FILE_MISSING');
    });

    it('forget everything with %reset', async () => {
      await run('const gone = 1;');
      await run('%reset');
      expect((await run('gone')).status).toBe('error');
    });

    it('choose how strictly types are checked', async () => {
      expect((await run('const maybe: string = null as string | null;')).status).toBe('ok');
      await run('%gondwana types strict');
      expect((await run('const never: string = null as string | null;')).status).toBe('error');
      await run('%gondwana types loose');
    });

    it('name what they do not know', async () => {
      expect((await run('%tiem 1')).error!.ename).toBe('MAGIC_UNKNOWN');
    });
  });

  describe('modules', () => {
    it('beside the notebook are read again after an edit', async () => {
      const file = path.join(scratch, `area-${engine}.ts`);
      writeFileSync(file, 'export const area = (w: number, h: number): number => w * h;\n');
      const cell = `import { area } from './area-${engine}';\narea(3, 5)`;
      expect((await run(cell)).result).toBe('15');
      writeFileSync(file, 'export const area = (w: number, h: number): number => w * h * 2;\n');
      expect((await run(cell)).result).toBe('30');
    });

    it('that are missing are named, with what to do', async () => {
      const cell = await run("import x from 'no-such-package-here';\nx");
      expect(cell.status).toBe('error');
      expect(`${cell.error!.evalue}${traceback(cell)}`).toContain('no-such-package-here');
    });

    it('gondwana and vega-lite are found from any folder', async () => {
      expect((await run("import { mean } from 'gondwana';\nmean([1, 2, 6])")).result).toBe('3');
    });
  });

  describe('comms', () => {
    it('take buffers both ways and are listed', async () => {
      await run(
        "const line = kernel.comms.open('test', { a: 1 }, { buffers: [Uint8Array.of(1, 2)] });\n" +
          'const heard: number[] = [];\nline.onMessage = ({ buffers }) => { heard.push(buffers[0]![0]!); };',
      );
      const opened = kernel.messages.findLast(({ type }) => type === 'comm_open')!;
      expect([...opened.buffers[0]!]).toEqual([1, 2]);
      const id = String(opened.content.comm_id);
      kernel.send('comm_msg', { comm_id: id, data: {} }, { buffers: [Uint8Array.of(9)] });
      await sleep(100);
      expect((await run('heard')).result).toBe('[ 9 ]');
      const { content } = await kernel.request('comm_info_request', { target_name: 'test' });
      expect(content.comms).toEqual({ [id]: { target_name: 'test' } });
    });
  });

  describe('interrupts', () => {
    const cases: Record<string, string> = {
      'a loop that never yields': 'while (true) {}',
      'a long wait': 'await new Promise((resolve) => setTimeout(resolve, 60000))',
      'a busy loop after an await': 'await null; while (true) {}',
      'a busy loop in a timer':
        'setTimeout(() => { while (true) {} }, 10); await new Promise((resolve) => setTimeout(resolve, 60000))',
      'a loop that sleeps between its steps':
        '(globalThis as any).ticks = 0; for (;;) { await new Promise((resolve) => setTimeout(resolve, 5)); (globalThis as any).ticks++; }',
      'a loop that swallows errors': 'while (true) { try { while (true) {} } catch {} }',
      'a wait for shared memory': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30000)',
      'a child process': "import { execFileSync } from 'node:child_process'; execFileSync('sleep', ['20'])",
      'a question': "await input('?')",
    };
    it.each(Object.entries(cases))('end %s and keep the state', async (_, code) => {
      await run('const kept = 41;');
      const cell = kernel.submit(code, { allowStdin: true, timeoutMs: 8000 });
      kernel.onInput = () => new Promise(() => {});
      await sleep(500);
      const started = performance.now();
      await kernel.interrupt(5000);
      const { error } = await cell.done;
      expect(error!.ename).toBe('KeyboardInterrupt');
      expect(performance.now() - started).toBeLessThan(5000); // a kernel that needs force takes 0.3 to 2 s
      expect((await run('kept + 1')).result).toBe('42');
    });

    it('leave nothing running: the sleeping loop has stopped', async () => {
      const { result } = await run('(globalThis as any).ticks');
      await sleep(60);
      expect((await run('(globalThis as any).ticks')).result).toBe(result);
    });

    it('abort kernel.signal', async () => {
      const cell = kernel.submit(
        'let isStopped = false; kernel.signal.addEventListener("abort", () => { isStopped = true; });\nawait new Promise(() => {});',
      );
      await sleep(300);
      await kernel.interrupt();
      await cell.done;
      expect((await run('isStopped')).result).toBe('true');
      expect((await run('kernel.signal.aborted')).result).toBe('false');
    });
  });

  it('ends within a second while timers are open', async () => {
    const own = await start();
    try {
      await own.execute('setInterval(() => {}, 1000); 0');
      expect(await own.shutdown()).toBeLessThan(1000);
    } finally {
      await own.stop();
    }
  });

  it('interrupts a cell that takes too much memory, by name', async () => {
    const own = await start({ GONDWANA_MEMORY_LIMIT_MB: '700' });
    try {
      const cell = await own.execute(
        'const hoard: Float64Array[] = [];\nfor (;;) { hoard.push(new Float64Array(1e6).fill(1)); await new Promise((resolve) => setTimeout(resolve, 2)); }',
        { timeoutMs: 30_000 },
      );
      expect(cell.error!.ename).toBe('MemoryLimitError');
      expect((await own.execute('hoard.length = 0; 1')).result).toBe('1');
    } finally {
      await own.stop();
    }
  });
});
