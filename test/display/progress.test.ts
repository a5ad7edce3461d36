import { expect, test } from 'vitest';
import {
  createProgress,
  progressBundle,
  progressLine,
  streamTarget,
  type ProgressState,
} from '../../src/display/progress.js';

function recorder(intervalMs: number, maximumDrawings: number) {
  const states: ProgressState[] = [];
  let time = 0;
  const view = createProgress(
    { intervalMs, maximumDrawings, draw: (state) => void states.push(state) },
    { title: 'study', now: () => time },
  );
  return { view, states, wait: (ms: number) => void (time += ms) };
}

test('the time left is told from what this job did, not from what was there before', () => {
  const { view, states, wait } = recorder(0, Infinity);
  view.update(0.5, 'kept runs');
  wait(10_000);
  view.update(0.6, 'frozen, seed 1');
  // a tenth took 10 s, four tenths are left
  expect(states.at(-1)!.secondsLeft).toBeCloseTo(40, 6);
  expect(states[0]!.secondsLeft).toBeNull();
});

test('the clock starts with the first progress, and a gain below a twentieth tells no time', () => {
  const { view, states, wait } = recorder(0, Infinity);
  view.update(0, 'starting');
  wait(60_000);
  view.update(0, 'reading');
  wait(10_000);
  view.update(0.04, 'step');
  expect(states.at(-1)!.secondsLeft).toBeNull();
  wait(10_000);
  view.update(0.08, 'step');
  // 0.08 in 20 s: 230 s for the other 0.92
  expect(states.at(-1)!.secondsLeft).toBeCloseTo(230, 6);
  view.update(0.08, 'step', 99);
  expect(states.at(-1)!.secondsLeft).toBe(99);
});

test('states closer than the interval are left out, the last one never', () => {
  const { view, states, wait } = recorder(1000, Infinity);
  for (let i = 0; i <= 100; i++) {
    view.update(i / 100, `step ${i}`);
    wait(30);
  }
  view.finish();
  expect(states.length).toBeLessThan(6);
  expect(states.at(-1)).toMatchObject({ share: 1, isFinished: true, secondsLeft: 0 });
  view.update(0.1, 'late');
  view.finish();
  expect(states.at(-1)!.text).toBe('done');
});

test('a job of many hours makes no more drawings than its target bears, spread to the end', () => {
  const { view, states, wait } = recorder(1000, 150);
  for (let i = 0; i < 40_000; i++) {
    view.update(i / 40_000, 'step');
    wait(1000);
  }
  view.finish();
  expect(states.length).toBeLessThanOrEqual(151);
  expect(states.length).toBeGreaterThan(100);
});

test('the line says share, time left and what runs, within its width', () => {
  const state: ProgressState = {
    title: 'study',
    share: 0.58,
    text: 'frozen, seed 1\u001b[2J',
    elapsedSeconds: 10,
    secondsLeft: 185,
    isFinished: false,
  };
  expect(progressLine(state)).toBe('study ━━━━━━━━━━━━╌╌╌╌╌╌╌╌  58 %, 3 min 05 s left: frozen, seed 1 [2J');
  expect([...progressLine(state, 40)]).toHaveLength(40);
  expect(progressLine({ ...state, secondsLeft: null })).toContain('time left not known yet');
  expect(progressBundle({ ...state, text: '<img>' })['text/html']).toContain('&lt;img&gt;');
});

test('a terminal line is drawn over, a log gets lines', () => {
  const write = (isTTY: boolean): string => {
    let text = '';
    const target = streamTarget({ write: (part) => void (text += part), isTTY, columns: 60 });
    const view = createProgress(target, { now: () => 0 });
    view.update(0.5, 'half');
    view.finish();
    return text;
  };
  expect(write(true)).toMatch(/^\r\u001b\[2K[^\n]*half\r\u001b\[2K[^\n]*done\n$/);
  expect(write(false)).toMatch(/^[^\r\u001b]*half\n[^\r\u001b]*done\n$/);
});
