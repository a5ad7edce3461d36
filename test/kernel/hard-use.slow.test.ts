import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
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

  describe('a cell that never yields and', () => {
    it.each([
      ['shows', 'const text = "z".repeat(1e5); for (;;) display.html(text);'],
      ['clears outputs', 'for (;;) clearOutput();'],
      ['prints', 'for (;;) console.log("x");'],
    ])('%s without end can be stopped, and takes no more and more memory', async (_, code) => {
      const { id, done } = kernel.submit(code, { timeoutMs: 40_000 });
      await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
      await sleep(1500);
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
