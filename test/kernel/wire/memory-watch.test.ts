import { beforeEach, describe, expect, it } from 'vitest';
import type { ErrorResult } from '../../../src/kernel/wire/cells.js';
import { MemoryWatch } from '../../../src/kernel/wire/memory-watch.js';

const MB = 2 ** 20;

describe('the watch over memory', () => {
  let resident: number;
  let running: string | undefined;
  let turns: boolean;
  const events: string[] = [];
  const watch = () =>
    new MemoryWatch({
      cells: {
        get runningId() {
          return running;
        },
        latestId: 'last',
      },
      interrupter: {
        interrupt: async (verdict?: ErrorResult) => void events.push(`interrupt ${verdict?.ename}`),
        mainThread: {
          terminate: () => events.push('terminate'),
          collectGarbage: () => events.push('collect'),
          disconnect: () => {},
        },
        disconnect: () => {},
      },
      publisher: { stream: ({ parent, text }) => events.push(`${parent}: ${text.slice(0, 17)}`) },
      pings: { ping: () => (turns ? Promise.resolve() : new Promise(() => {})) },
      residentBytes: () => resident,
      interruptBytes: 900 * MB,
    });

  beforeEach(() => {
    events.length = 0;
    running = 'a';
    turns = true;
  });

  it('stops the cell once when its mark is passed, and again after the memory was calm', async () => {
    const memory = watch();
    const look = async (megabytes: number) => {
      resident = megabytes * MB;
      await memory.sample();
    };
    await look(899);
    expect(events).toEqual([]);
    await look(901);
    expect(events).toEqual(['interrupt MemoryLimitError', 'collect']);
    await look(905);
    await look(880);
    await look(902);
    expect(events).toHaveLength(2);
    await look(400);
    await look(950);
    expect(events).toHaveLength(4);
  });

  it('stops again when it goes on growing', async () => {
    const memory = watch();
    for (const megabytes of [901, 905, 912, 915, 925]) {
      resident = megabytes * MB;
      await memory.sample();
    }
    // 912 and 925 are more than 1 % of the mark above the last interrupt
    expect(events.filter((event) => event.startsWith('interrupt'))).toHaveLength(3);
  });

  it('says how much, which limit and what to do', async () => {
    resident = 901 * MB;
    let told: ErrorResult | undefined;
    await new MemoryWatch({
      cells: { runningId: 'a', latestId: 'a' },
      interrupter: {
        interrupt: async (verdict) => void (told = verdict),
        mainThread: { terminate() {}, collectGarbage() {}, disconnect() {} },
        disconnect() {},
      },
      publisher: { stream() {} },
      pings: { ping: () => Promise.resolve() },
      residentBytes: () => resident,
      interruptBytes: 900 * MB,
    }).sample();
    expect(told?.evalue).toMatch(/holds 901 MB of memory; cells are stopped at 90 % of the limit of 1000 MB/);
    expect(told?.traceback.join('\n')).toMatch(/smaller parts.*GONDWANA_MEMORY_LIMIT_MB/);
  });

  it('tells of code in the background, and ends it where it blocks or the limit is near', async () => {
    running = undefined;
    const memory = watch();
    resident = 901 * MB;
    await memory.sample();
    expect(events).toEqual(['last: MemoryLimitError:', 'collect']);
    resident = 960 * MB;
    await memory.sample();
    expect(events.slice(2)).toEqual(['terminate', 'collect']);
    turns = false;
    events.length = 0;
    resident = 910 * MB;
    const blocked = watch().sample();
    await new Promise((resolve) => setTimeout(resolve, 400));
    turns = true;
    expect(events).toContain('terminate');
    void blocked;
  });
});
