import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelClient } from '../../support/kernel/client.js';
import { startStandIn } from '../../support/kernel/stand-in.js';

let kernel: KernelClient;
beforeAll(async () => {
  kernel = await startStandIn();
  await kernel.execute('globalThis.keep = 41');
});
afterAll(() => kernel?.stop());

describe('an interrupt', () => {
  it.each([
    ['a loop', 'while (true) {}'],
    ['a long wait', 'await sleep(60000)'],
    ['a loop after an await', 'await null; while (true) {}'],
    ['a loop in a timer', 'setTimeout(() => { while (true) {} }, 10); await sleep(60000)'],
    ['a loop that yields and swallows errors', 'for (;;) { try { await sleep(5) } catch {} }'],
    ['a loop that swallows errors', 'while (true) { try { while (true) {} } catch {} }'],
    ['a wait of the thread', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30000)'],
    [
      'a child process',
      'const { execFileSync } = await load("node:child_process"); execFileSync("sleep", ["20"])',
    ],
  ])('ends %s within a second and keeps the state', async (_, code) => {
    const { id, done } = kernel.submit(code);
    await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
    await sleep(100);
    const started = performance.now();
    expect(await kernel.interrupt()).toEqual({ status: 'ok' });
    const cell = await done;
    expect(performance.now() - started).toBeLessThan(1500); // 0.3 s of grace, and a machine that does other things
    expect(cell.error?.ename).toBe('KeyboardInterrupt');
    expect((await kernel.execute('return keep + 1')).result).toBe('42');
  });

  it('aborts the cells that wait', async () => {
    const cells = ['await sleep(60000)', 'return 1'].map((code) => kernel.submit(code));
    await sleep(150);
    await kernel.interrupt();
    const statuses = (await Promise.all(cells.map(({ done }) => done))).map(({ status }) => status);
    expect(statuses).toEqual(['error', 'aborted']);
  });

  it('of a kernel that does nothing does nothing', async () => {
    expect(await kernel.interrupt()).toEqual({ status: 'ok' });
    expect((await kernel.execute('return keep')).result).toBe('41');
  });

  it('of a cell that does not react ends it by force, and what it still says is not taken for the next', async () => {
    const { id, done } = kernel.submit('try { await new Promise(() => {}) } finally { }; ');
    await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
    await kernel.interrupt();
    expect((await done).status).toBe('error');
    expect((await kernel.execute('return "next"')).result).toBe("'next'");
  });
});

describe('a signal SIGINT', () => {
  it('to the process does not end it', async () => {
    kernel.kill('SIGINT');
    await sleep(100);
    expect((await kernel.execute('return keep')).result).toBe('41');
  });
});

describe('the limit of memory', () => {
  it('stops a cell that allocates without end, by name, and the kernel goes on', async () => {
    const small = await startStandIn({ memoryLimitMb: 330 });
    try {
      await small.execute('globalThis.keep = 41');
      const cell = await small.execute('const all = []; for (;;) { all.push(new Array(1e5).fill(1.5)) }');
      expect(cell.error?.ename).toBe('MemoryLimitError');
      expect(cell.error?.evalue).toMatch(/of memory; cells are stopped at 90 % of the limit of 330 MB/);
      const waiting = await small.execute(
        'const all = []; for (;;) { all.push(Buffer.alloc(1e6, 1)); await sleep(1) }',
      );
      expect(waiting.error?.ename).toBe('MemoryLimitError');
      expect((await small.execute('return keep + 1')).result).toBe('42');
    } finally {
      await small.stop();
    }
  });
});
