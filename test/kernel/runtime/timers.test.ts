import { setTimeout as nodeTimeout } from 'node:timers';
import * as promises from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchTimers, type CellTimers } from '../../../src/kernel/runtime/timers.js';

let timers: CellTimers;
beforeEach(() => (timers = watchTimers()));
afterEach(() => timers.restore());

const later = (ms: number): Promise<void> => new Promise((resolve) => nodeTimeout(resolve, ms));

describe('watchTimers', () => {
  it('lets timers of all kinds fire with their arguments', async () => {
    const got: unknown[] = [];
    setTimeout((...args: unknown[]) => got.push(...args), 1, 'a', 'b');
    setImmediate(() => got.push('c'));
    expect(await promises.setTimeout(5, 'd')).toBe('d');
    expect(await promisify(setTimeout)(1, 'e')).toBe('e');
    expect(got.sort()).toEqual(['a', 'b', 'c']);
  });

  it('ends a loop that sleeps between its steps', async () => {
    let steps = 0;
    const loop = async (sleep: () => Promise<unknown>): Promise<void> => {
      for (;;) {
        await sleep();
        steps++;
      }
    };
    void loop(() => new Promise((resolve) => setTimeout(resolve, 1)));
    void loop(() => promises.setTimeout(1));
    const interval = setInterval(() => steps++, 1);
    await later(20);
    timers.stop();
    const stopped = steps;
    expect(stopped).toBeGreaterThan(3);
    await later(20);
    expect(steps).toBe(stopped);
    clearInterval(interval);
  });

  it('leaves timers of an earlier cell and those of node:timers alone', async () => {
    let earlier = 0;
    let own = 0;
    setTimeout(() => earlier++, 10);
    timers.begin();
    nodeTimeout(() => own++, 10);
    timers.stop();
    await later(25);
    expect([earlier, own]).toEqual([1, 1]);
  });

  it('takes back a timer that code clears, and rejects a sleep whose signal is aborted', async () => {
    let fired = 0;
    clearTimeout(setTimeout(() => fired++, 1));
    clearImmediate(setImmediate(() => fired++));
    const abort = new AbortController();
    const sleep = promises.setTimeout(1000, undefined, { signal: abort.signal });
    abort.abort();
    await expect(sleep).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' });
    await later(10);
    expect(fired).toBe(0);
  });
});
