import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setDisplaySink } from '../../src/display/active-sink.js';
import { BarGroup, streamSurface, type BarState } from '../../src/display/progress-bars.js';
import { progress } from '../../src/display/progress-loop.js';
import { progressBundle } from '../../src/display/progress.js';
import { display } from '../../src/display/show.js';
import { StoppedError } from '../../src/errors.js';
import { endStandInKernel, standInKernel, type StandInKernel } from '../support/kernel-link.js';

let kernel: StandInKernel;
beforeEach(() => (kernel = standInKernel()));
afterEach(() => {
  endStandInKernel();
  setDisplaySink(undefined);
});

const textOf = (bundle: Readonly<Record<string, unknown>>): string => bundle['text/plain'] as string;
const last = (index = -1): string => {
  const output = kernel.outputs.at(index)!;
  return textOf(output.updates.at(-1) ?? output.bundle);
};
const clock = () => {
  let ms = 0;
  return { now: () => ms, wait: (more: number) => void (ms += more) };
};

describe('progress of a loop', () => {
  it('gives every thing once and says how many, how fast, how long', () => {
    const { now, wait } = clock();
    const seen: number[] = [];
    for (const tile of progress([4, 5, 6, 7], { title: 'tiles', unit: 'tiles', now })) {
      seen.push(tile);
      if (tile === 6)
        expect(last()).toBe('tiles ━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌  50 %, 2 of 4 tiles, 2.0/s, 1.0 s left');
      wait(500);
    }
    expect(seen).toEqual([4, 5, 6, 7]);
    expect(kernel.outputs).toHaveLength(1);
    expect(last()).toBe('tiles ━━━━━━━━━━━━━━━━━━━━ 100 %, 4 of 4 tiles, 2.0/s, 2.0 s in all');
  });

  it('knows the count of sets, maps and tables, takes it as an option, and does without', () => {
    for (const things of [
      new Set([1, 2]),
      new Map([[1, 2]]),
      { numRows: () => 3, *[Symbol.iterator]() {} },
    ]) {
      for (const thing of progress(things as Iterable<unknown>)) void thing;
    }
    expect(kernel.outputs.map((_, index) => last(index))).toEqual([
      expect.stringContaining('2 of 2'),
      expect.stringContaining('1 of 1'),
      expect.stringContaining('0 of 3'),
    ]);
    function* three() {
      yield* [1, 2, 3];
    }
    for (const thing of progress(three(), { title: 'lines' })) void thing;
    expect(last()).toBe('lines 3, 0.0 s in all');
    for (const thing of progress(three(), { total: 3 })) void thing;
    expect(last()).toContain('3 of 3');
  });

  it('draws nothing before the loop begins, and can be gone through twice', () => {
    const things = progress(['a', 'b']);
    expect(kernel.outputs).toHaveLength(0);
    expect([[...things], [...things]]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(kernel.outputs).toHaveLength(2);
  });

  it('goes through what comes later, and lets the source end when it is left early', async () => {
    let isReturned = false;
    async function* parts() {
      try {
        yield* [1, 2, 3];
      } finally {
        isReturned = true;
      }
    }
    const seen: number[] = [];
    for await (const part of progress(parts(), { total: 3 })) {
      seen.push(part);
      if (part === 2) break;
    }
    expect([seen, isReturned]).toEqual([[1, 2], true]);
    expect(last()).toMatch(/1 of 3, .*left early$/);
    await expect(
      (async () => {
        for await (const part of progress(parts())) if (part === 2) throw new Error('mine');
      })(),
    ).rejects.toThrow('mine');
  });

  it('has a line below the outer loop, which goes at its end unless it is kept', () => {
    const lines: string[][] = [];
    for (const keep of [undefined, true]) {
      const inner = keep === undefined ? {} : { keep };
      for (const a of progress([1, 2], { title: 'outer' })) {
        for (const b of progress([1, 2, 3], { title: `inner ${a}`, ...inner })) {
          if (b === 3) lines.push(last().split('\n'));
        }
      }
      lines.push(last().split('\n'));
    }
    expect(kernel.outputs).toHaveLength(2);
    expect(lines.map((state) => state.map((line) => line.replace(/[━╌].*/, '')))).toEqual([
      ['outer ', '  inner 1 '],
      ['outer ', '  inner 2 '],
      ['outer '],
      ['outer ', '  inner 1 '],
      ['outer ', '  inner 1 ', '  inner 2 '],
      ['outer ', '  inner 1 ', '  inner 2 '],
    ]);
  });

  it('stands apart from a bar that an earlier cell left unfinished', () => {
    progress(10, { title: 'left behind' }).advance();
    kernel.next();
    for (const thing of progress([1], { title: 'new' })) void thing;
    expect(kernel.outputs).toHaveLength(2);
    expect(last()).not.toContain('left behind');
  });

  it('refuses what it cannot go through', () => {
    for (const wrong of [-1, Number.NaN, {}, null, true]) {
      expect(() => progress(wrong as never)).toThrow(expect.objectContaining({ code: 'PROGRESS_OF' }));
    }
  });
});

describe('a bar moved by hand', () => {
  it('advances, says what is at work and finishes once', () => {
    const { now, wait } = clock();
    const bar = progress(8, { title: 'files', now });
    wait(4000);
    bar.advance(2, 'b.tif');
    expect(last()).toBe('files ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  25 %, 2 of 8, 2.0 s each, 12 s left: b.tif');
    expect(bar.done).toBe(2);
    bar.finish();
    const count = kernel.outputs[0]!.updates.length;
    bar.advance();
    bar.finish();
    expect(kernel.outputs[0]!.updates).toHaveLength(count);
    expect(last()).toContain('25 %, 2 of 8, 2.0 s each, 4.0 s in all');
  });

  it('stands among loops, as do the bars of studies', () => {
    const view = display.progress({ title: 'study' });
    view.update(0.5, 'frozen');
    for (const thing of progress([1, 2], { title: 'inner' })) void thing;
    view.finish();
    expect(kernel.outputs).toHaveLength(1);
    const texts = kernel.outputs[0]!.updates.map(textOf);
    expect(texts.some((text) => /study.*frozen\n {2}inner/.test(text))).toBe(true);
    expect(texts.at(-1)).toMatch(/^study[^\n]*: done$/);
  });
});

describe('Stop', () => {
  it('ends a loop between two things with a StoppedError that says how far it was', async () => {
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (const tile of progress([1, 2, 3], { title: 'tiles' })) {
        seen.push(tile);
        if (tile === 2) kernel.stop();
        await Promise.resolve();
      }
    };
    await expect(loop()).rejects.toThrow(new StoppedError('tiles was stopped after 1 of 3.'));
    expect(seen).toEqual([1, 2]);
    expect(last()).toContain(' 33 %, 1 of 3');
    expect(last()).toMatch(/: stopped$/);
  });

  it('is seen in the bars at once, also where a cell is left in the middle of a step', () => {
    const view = display.progress({ title: 'study' });
    view.update(0.25, 'training');
    const iterator = progress([1, 2], { title: 'inner' })[Symbol.iterator]();
    iterator.next();
    kernel.stop();
    expect(last()).toMatch(/^study [^\n]* 25 %, [^\n]*: stopped$/);
    view.update(0.5, 'late');
    expect(last()).toContain(' 25 %');
    expect(() => iterator.next()).toThrow(StoppedError);
  });

  it('ends a wait for what does not come', async () => {
    const never: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    setTimeout(() => kernel.stop(), 20);
    const started = performance.now();
    const loop = async (): Promise<void> => {
      for await (const part of progress(never)) void part;
    };
    await expect(loop()).rejects.toBeInstanceOf(StoppedError);
    expect(performance.now() - started).toBeLessThan(1000); // the aim for every loop
  });

  it('ends a bar moved by hand, does not begin another loop, and heeds a signal of its own', () => {
    const bar = progress(3);
    const own = new AbortController();
    kernel.stop();
    expect(() => bar.advance()).toThrow(StoppedError);
    expect(() => [...progress([1])]).toThrow(StoppedError);
    const mine = progress(['a', 'b'], { signal: own.signal });
    expect([...mine]).toEqual(['a', 'b']);
    own.abort();
    expect(() => [...mine]).toThrow(StoppedError);
  });
});

describe('the pace of drawings', () => {
  it('is ten a second in our kernel, and the last state is drawn even if nothing follows', async () => {
    endStandInKernel();
    kernel = standInKernel(100);
    const started = performance.now();
    const bar = progress(1e9);
    let steps = 0;
    while (performance.now() - started < 450) {
      bar.advance();
      steps++;
    }
    expect(steps).toBeGreaterThan(1000);
    // one at the start, then one each 100 ms
    expect(kernel.outputs[0]!.updates.length).toBeLessThanOrEqual(5);
    const { done } = bar;
    await vi.waitFor(() => expect(last()).toContain(`${done.toLocaleString('en')} of`), { timeout: 2000 });
    bar.finish();
  });

  it('draws by the clock, not by the step, in a loop of a million steps', () => {
    endStandInKernel();
    kernel = standInKernel(100);
    const started = performance.now();
    let sum = 0;
    for (const value of progress(new Uint8Array(1e6))) sum += value;
    expect(sum).toBe(0);
    const drawings = kernel.outputs.reduce((count, { updates }) => count + 1 + updates.length, 0);
    // one every 100 ms, the first and the last
    expect(drawings).toBeLessThanOrEqual((performance.now() - started) / 100 + 2);
  });
});

describe('bars outside a notebook', () => {
  const state = (title: string, level: number): BarState => ({
    ...{ title, level, share: 0.5, text: '', elapsedSeconds: 1, secondsLeft: 1, isFinished: false },
  });

  it('are drawn over in a terminal, a line a bar', () => {
    let written = '';
    const surface = streamSurface({ write: (part) => void (written += part), isTTY: true, columns: 60 });
    surface.draw([state('outer', 0)], false);
    surface.draw([state('outer', 0), state('inner', 1)], false);
    written = '';
    surface.draw([state('outer', 0)], true);
    // up from the second line to the first, and all below is cleared
    expect(written).toMatch(/^\r\u001b\[1A\u001b\[Jouter [^\n]*\n$/);
  });

  it('are lines in a log, at most one set each ten seconds and one at the end', () => {
    let written = '';
    const { now, wait } = clock();
    const group = new BarGroup(streamSurface({ write: (part) => void (written += part) }), now);
    const outer = group.add(() => state('outer', 0));
    for (let i = 0; i < 100; i++) {
      const inner = group.add(() => state('inner', 1));
      wait(150);
      inner.end();
      outer.changed();
    }
    outer.end();
    expect(written).not.toMatch(/[\r\u001b]/);
    expect(written.trimEnd().split('\n').length).toBeLessThanOrEqual(1 + 2 + 1);
  });

  it('escape their words', () => {
    expect(progressBundle({ ...state('<i>', 0), text: '<b>' })['text/html']).not.toMatch(/<i>|<b>/);
  });
});
