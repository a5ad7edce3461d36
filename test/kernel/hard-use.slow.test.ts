import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineNames } from '../../src/kernel/cell-engine.js';
import { startKernel, type CellResult, type KernelClient } from '../support/kernel/client.js';

// Cells that do what nobody should: the kernel names it and goes on.

const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'gondwana-hard-use-')));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.each(engineNames)('the kernel with the engine %s', (engine) => {
  let kernel: KernelClient;
  const start = (): Promise<KernelClient> =>
    startKernel({
      spec: 'gondwana',
      cwd: scratch,
      env: { GONDWANA_CELL_ENGINE: engine, GONDWANA_MEMORY_LIMIT_MB: '1500' },
    });
  beforeAll(async () => {
    kernel = await start();
  });
  afterAll(() => kernel.stop());
  const run = (code: string, options = {}): Promise<CellResult> => kernel.execute(code, options);

  describe('a cell that', () => {
    it('takes away globals, listeners and descriptors of the process leaves a kernel that works', async () => {
      const own = await start();
      const use = (code: string): Promise<CellResult> => own.execute(code);
      try {
        await use(`for (const name of ['process', 'performance', 'Buffer', 'AbortController', 'setTimeout', 'console'])
          delete (globalThis as any)[name]; 1`);
        expect((await use('40 + 2')).result).toBe('42');
        expect((await use('%pwd')).stdout).toBe(`${scratch}\n`);
        expect((await use('%time 1')).stdout).toMatch(/^time: /);
        await use('import p from "node:process"; p.removeAllListeners(); 1');
        const late = await use(
          'import t from "node:timers"; t.setTimeout(() => { throw new Error("late") }, 1); 2',
        );
        expect(late.error).toBeUndefined();
        await sleep(200);
        expect((await use('3')).result).toBe('3');
        for (const fd of [0, 1, 2, 3, 6]) {
          const closed = await use(`import fs from 'node:fs'; fs.closeSync(${fd});`);
          expect(closed.error?.ename).toBe('KERNEL_DESCRIPTOR');
        }
        await use('Object.freeze(globalThis); 1');
        const waiting = own.submit('await new Promise(() => {})');
        await sleep(300);
        await own.interrupt();
        expect((await waiting.done).error?.ename).toBe('KeyboardInterrupt');
        expect((await use('40 + 2')).result).toBe('42');
      } finally {
        await own.stop();
      }
    });

    it('breaks what JavaScript is made of is answered, and so are those after it', async () => {
      for (const code of [
        'Array.prototype.map = () => { throw new Error("no map") }; 1',
        'Array.prototype[Symbol.iterator] = function* () { yield 99 }; 1',
        'for (const name of ["Promise", "Set", "Map", "Error", "Object"]) delete (globalThis as any)[name]; 1',
      ]) {
        const own = await start();
        try {
          await own.execute(code);
          expect((await own.execute('1 + 1')).status).toMatch(/^(ok|error)$/);
          expect((await own.execute('1 + 1')).status).toMatch(/^(ok|error)$/);
        } finally {
          await own.stop();
        }
      }
    });

    it('emits the exit of the process does not silence the kernel', async () => {
      await run('process.emit("exit", 0)');
      expect((await run('40 + 2')).result).toBe('42');
    });

    it('rejects without end in a moment is told of some, and of how many there were', async () => {
      const { stderr } = await run(
        'for (let i = 0; i < 20_000; i++) void Promise.reject(new Error(`storm ${i}`)); await new Promise((r) => setTimeout(r, 200));',
      );
      expect(stderr).toContain('storm 49');
      expect(stderr).toMatch(/… and 19950 errors more/);
    });

    it('writes much to the descriptor of standard output at once loses nothing', async () => {
      const { stdout, error } = await run(
        'import fs from "node:fs"; for (let i = 0; i < 300; i++) fs.writeSync(1, `${i} `.padEnd(9999, "-") + "\\n");',
      );
      expect(error).toBeUndefined();
      await sleep(500); // what goes through the launcher may come a moment after the reply
      const lines = stdout.split('\n').filter((line) => line !== '');
      expect([lines.length, lines.at(-1)?.slice(0, 4)]).toEqual([300, '299 ']);
    });

    it('is nested too deeply is named, and the next one runs', async () => {
      const deep = await run(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`);
      expect(deep.error?.ename).toBe('CELL_TOO_DEEP');
      expect((await run('40 + 2')).result).toBe('42');
    });

    it('has a damaged tsconfig.json above it says so once, and runs', async () => {
      writeFileSync(path.join(scratch, 'tsconfig.json'), '{ "compilerOptions": ');
      await sleep(20);
      const first = await run('40 + 2');
      expect([first.result, first.stderr]).toEqual([
        '42',
        expect.stringMatching(/^TSCONFIG: .*no JSON[^]*where: [^]*to do: /) as string,
      ]);
      expect((await run('40 + 2')).stderr).toBe('');
      rmSync(path.join(scratch, 'tsconfig.json'));
    });

    it('works in a folder that is gone is told so by %pwd, and %cd leads out of it', async () => {
      await run(
        `import fs from 'node:fs'; fs.mkdirSync('gone'); process.chdir('gone'); fs.rmdirSync('../gone');`,
      );
      expect((await run('%pwd')).error?.ename).toBe('FILE_MISSING');
      expect((await run('%cd elsewhere')).error?.ename).toBe('FILE_MISSING');
      expect((await run(`%cd ${scratch}`)).stdout).toBe(`${scratch}\n`);
    });

    it('asks three questions at once gets three answers', async () => {
      kernel.onInput = (prompt) => `${prompt}!`;
      const { result } = await run('await Promise.all(["a", "b", "c"].map((name) => input(name)))', {
        allowStdin: true,
      });
      expect(result).toBe("[ 'a!', 'b!', 'c!' ]");
    });
  });

  describe('a cell that never yields and', () => {
    it.each([
      ['shows', 'const text = "z".repeat(1e4); for (;;) display.html(text);'],
      ['clears outputs', 'for (;;) clearOutput();'],
      ['prints', 'for (;;) console.log("x");'],
    ])('%s without end can be stopped, and takes no more and more memory', async (_, code) => {
      const { id, done } = kernel.submit(code, { timeoutMs: 40_000 });
      await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
      await sleep(700);
      await kernel.interrupt();
      expect((await done).error?.ename).toBe('KeyboardInterrupt');
      const megabytes = await run('Math.round(process.memoryUsage.rss() / 2 ** 20)');
      expect(Number(megabytes.result)).toBeLessThan(700); // the kernel itself takes 200 to 300, with tslab 100 more
    });
  });

  describe('a stop', () => {
    it('in the moment in which a cell ends by itself ends neither the kernel nor the next cell', async () => {
      for (let at = 0; at < 30; at++) {
        const { id, done } = kernel.submit(
          `{ const end = Date.now() + 40; while (Date.now() < end); } ${at}`,
        );
        await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
        // spread over the end of the cell, its conversion included
        await sleep(35 + at * 1.5);
        await kernel.interrupt();
        const cell = await done;
        expect(cell.error?.ename ?? cell.result).toMatch(new RegExp(`^(KeyboardInterrupt|${at})$`));
        expect((await run('40 + 2')).result).toBe('42');
      }
    });

    it('ends a loop that swallows errors, a regular expression and a thread that waits', async () => {
      for (const code of [
        'for (;;) { try { while (true) {} } catch {} }',
        '/^(a+)+$/.test("a".repeat(40) + "b")',
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
        '({ [Symbol.for("nodejs.util.inspect.custom")]() { for (;;) {} } })',
      ]) {
        const { id, done } = kernel.submit(code);
        await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
        await sleep(150);
        await kernel.interrupt();
        expect((await done).error?.ename).toBe('KeyboardInterrupt');
      }
      expect((await run('40 + 2')).result).toBe('42');
    });
  });
});
