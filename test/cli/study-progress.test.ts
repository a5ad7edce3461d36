import { describe, expect, it } from 'vitest';
import { createStudyProgress } from '../../src/cli/study-progress.js';
import type { PlannedRun, StudyEvent } from '../../src/studies/study.js';

const run = (id: string, arm: string, seed: number): PlannedRun =>
  ({ id, arm, definition: { seed } }) as unknown as PlannedRun;

/** A stream that is no terminal, and what was written to it. */
function log(): { stream: NodeJS.WriteStream; text: () => string; lines: () => string[] } {
  let written = '';
  const stream = {
    isTTY: false,
    write: (text: string) => ((written += text), true),
  } as unknown as NodeJS.WriteStream;
  return { stream, text: () => written, lines: () => written.trimEnd().split('\n') };
}

describe('createStudyProgress', () => {
  it('writes a line every 10 s at most where there is no terminal', () => {
    const { stream, lines } = log();
    let now = 0;
    const progress = createStudyProgress(stream, 'crowns', () => now);
    progress.onEvent({ type: 'plan', total: 2, finished: 0 });
    progress.onEvent({ type: 'run-started', run: run('a', 'frozen', 1), index: 0, total: 2 });
    for (let step = 1; step <= 100; step++) {
      now += 500; // 50 s in all
      progress.onEvent({
        type: 'step',
        run: 'a',
        phase: 'train',
        share: step / 100,
        epoch: 1,
        epochs: 3,
        loss: 0.5,
      });
    }
    expect(lines().length).toBeGreaterThanOrEqual(5);
    expect(lines().length).toBeLessThanOrEqual(6);
    expect(lines().at(-1)).toContain('frozen, seed 1, training, epoch 1 of 3, loss 0.500');
    progress.stop();
  });

  it('tells the time left from what this call has computed, not from runs that were finished before', () => {
    const { stream, text } = log();
    let now = 0;
    const progress = createStudyProgress(stream, 'crowns', () => now);
    progress.onEvent({ type: 'plan', total: 10, finished: 8 });
    progress.onEvent({ type: 'run-started', run: run('i', 'none', 1), index: 8, total: 10 });
    now = 20_000; // half of one run of the two that are left took 20 s: 60 s stay
    progress.onEvent({ type: 'step', run: 'i', phase: 'train', share: 0.5 });
    expect(text()).toContain('8 of 10 runs are finished already and kept.');
    expect(text()).toMatch(/1 min 00 s left|60 s left/);
  });

  it('tells notices and failures at once, with code and message', () => {
    const { stream, lines } = log();
    const progress = createStudyProgress(stream, 'crowns', () => 0);
    const failure: StudyEvent = {
      type: 'run-failed',
      run: run('a', 'frozen', 2),
      error: {
        code: 'LOSS_NOT_FINITE',
        message: 'The loss is NaN at step 3.',
        where: '',
        hint: '',
        exitCode: 1,
      },
    };
    progress.onEvent({ type: 'notice', text: 'The native engine is not installed.' });
    progress.onEvent(failure);
    expect(lines()).toContain('notice: The native engine is not installed.');
    expect(lines()).toContain('failed: frozen, seed 2: LOSS_NOT_FINITE: The loss is NaN at step 3.');
  });

  it('draws bars in a terminal and takes its listeners away again', () => {
    let written = '';
    const stream = Object.assign(Object.create(process.stderr) as NodeJS.WriteStream, {
      isTTY: true,
      columns: 80,
      write: (text: string) => ((written += text), true),
    });
    const before = process.listenerCount('SIGINT');
    const progress = createStudyProgress(stream, 'crowns', () => 0);
    progress.onEvent({ type: 'plan', total: 2, finished: 1 });
    progress.onEvent({ type: 'notice', text: 'slow engine' });
    progress.onEvent({ type: 'step', run: 'a', phase: 'evaluate', share: 0.25 });
    progress.stop();
    expect(written).toContain('notice: slow engine');
    expect(written).toContain('25 %');
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
