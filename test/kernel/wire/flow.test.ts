import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { ToWire } from '../../../src/kernel/protocol.js';
import { Flow } from '../../../src/kernel/wire/flow.js';

const output = (html: string): ToWire => ({
  type: 'publish',
  kind: 'display_data',
  content: { data: { 'text/html': html } },
  parent: 'cell',
});
const units = ({ memory }: Flow): number => new Int32Array(memory)[0]!;

describe('the flow of messages between the threads', () => {
  it('counts outputs by their size, and nothing else', () => {
    const flow = new Flow();
    flow.take({ type: 'stream', name: 'stdout', text: 'x'.repeat(1e6), parent: '' });
    flow.take({ type: 'pong', n: 1 });
    expect(units(flow)).toBe(0);
    flow.take(output('x'.repeat(10 * 1024)));
    expect(units(flow)).toBe(4 + 10);
    const buffers = [new Uint8Array(2048)];
    flow.take({ type: 'publish', kind: 'comm_msg', content: {}, buffers, parent: '' });
    expect(units(flow)).toBe(4 + 10 + 4 + 2);
    flow.giveBack(output('x'.repeat(10 * 1024)));
    expect(units(flow)).toBe(4 + 2);
  });

  it('waits while too much is under way, until the other thread has sent some of it', async () => {
    const flow = new Flow();
    const large = output('x'.repeat(9 * 2 ** 20));
    flow.take(large);
    const thread = new Worker(
      `const { workerData } = require('node:worker_threads');
       const units = new Int32Array(workerData);
       setTimeout(() => { Atomics.store(units, 0, 0); Atomics.notify(units, 0); }, 100);`,
      { eval: true, workerData: flow.memory },
    );
    const started = performance.now();
    flow.take(output('small'));
    expect(performance.now() - started).toBeGreaterThan(90);
    expect(units(flow)).toBe(4 + 1);
    await thread.terminate();
  });
});
