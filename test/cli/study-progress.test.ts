import { describe, expect, it } from 'vitest';
import { createNotices } from '../../src/cli/notices.js';
import { runText } from '../../src/cli/run-bars.js';
import { createStudyProgress } from '../../src/cli/study-progress.js';
import type { PlannedRun, StudyEvent } from '../../src/studies/study.js';

const run = (id: string, arm: string, seed: number): PlannedRun =>
  ({ id, arm, definition: { seed, encoder: 'e', settings: { encoderMode: arm } } }) as unknown as PlannedRun;

/** A stream that is no terminal, and what was written to it. */
function log(): { stream: NodeJS.WriteStream; text: () => string; lines: () => string[] } {
  let written = '';
  const stream = {
    isTTY: false,
    write: (text: string) => ((written += text), true),
  } as unknown as NodeJS.WriteStream;
  return { stream, text: () => written, lines: () => written.trimEnd().split('\n') };
}

const context = (stderr: NodeJS.WriteStream) => ({ stderr, notices: createNotices(stderr) });

/** A terminal of 80 columns, and what was written to it. */
function terminal(): { stream: NodeJS.WriteStream; text: () => string } {
  let written = '';
  const stream = Object.assign(Object.create(process.stderr) as NodeJS.WriteStream, {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (text: string) => ((written += text), true),
  });
  return { stream, text: () => written };
}

describe('createStudyProgress', () => {
  it('writes a line every 10 s at most where there is no terminal', () => {
    const { stream, lines } = log();
    let now = 0;
    const progress = createStudyProgress(context(stream), 'crowns', () => now);
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
    const progress = createStudyProgress(context(stream), 'crowns', () => now);
    progress.onEvent({ type: 'plan', total: 9, finished: 8 });
    progress.onEvent({ type: 'run-started', run: run('i', 'none', 1), index: 8, total: 9 });
    progress.onEvent({ type: 'step', run: 'i', phase: 'train', share: 0.1, epoch: 1 });
    now = 20_000; // four tenths of one run took 20 s: half a run is left, 25 s
    progress.onEvent({ type: 'step', run: 'i', phase: 'validate', share: 0.5, epoch: 1 });
    expect(text()).toContain('8 of 9 runs are finished already and kept.');
    expect(text()).toContain(' 25 s left');
  });

  it('tells notices and failures at once, with code and message', () => {
    const { stream, lines } = log();
    const progress = createStudyProgress(context(stream), 'crowns', () => 0);
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

  it('says that the engine starts, then that data are read, and never 100 % without a time', () => {
    const { stream, lines } = log();
    let now = 0;
    const progress = createStudyProgress(context(stream), 'crowns', () => now);
    progress.onEvent({ type: 'plan', total: 1, finished: 0 });
    now += 20_000;
    progress.onEvent({ type: 'run-started', run: run('a', 'frozen', 1), index: 0, total: 1 });
    expect(lines()[0]).toContain('starting the engine');
    expect(lines()[1]).toContain('reading data');

    const other = log();
    createStudyProgress(context(other.stream), 'crowns', () => 0).onEvent({
      type: 'plan',
      total: 3,
      finished: 3,
    });
    expect(other.text()).toContain('100 %');
    expect(other.text()).not.toContain('not known');
  });

  it('draws a bar for each run at work, takes it away at its end, and leaves no listener', () => {
    const { stream, text } = terminal();
    const before = { exit: process.listenerCount('exit'), int: process.listenerCount('SIGINT') };
    const { notices, stderr } = context(stream);
    const progress = createStudyProgress({ notices, stderr }, 'crowns', () => 0);
    progress.onEvent({ type: 'plan', total: 3, finished: 1 });
    progress.onEvent({ type: 'notice', text: 'slow engine' });
    for (const id of ['a', 'b'])
      progress.onEvent({ type: 'run-started', run: run(id, `arm ${id}`, 1), index: 0, total: 2 });
    progress.onEvent({ type: 'step', run: 'a', phase: 'train', share: 0.25, epoch: 1, loss: 0.5 });
    const failure = { code: 'LOSS_NOT_FINITE', message: 'NaN.', where: '', hint: '', exitCode: 1 };
    progress.onEvent({ type: 'run-failed', run: run('b', 'arm b', 1), error: failure });
    const drawn = text().length;
    notices.say('Stopping: finished runs are kept.');
    progress.stop();
    const last = text().slice(drawn);
    expect(text()).toContain('notice: slow engine');
    // the last drawing has the message and the bar of the run that is still at work, then all bars go
    expect(last).toContain('Stopping: finished runs are kept.\n');
    expect(last).toContain('arm a, seed 1: epoch 1, loss 0.500');
    expect(last).not.toContain('arm b, seed 1:');
    expect(last.lastIndexOf('\u001b[0J')).toBeGreaterThan(last.lastIndexOf('crowns'));
    expect(process.listenerCount('SIGINT')).toBe(before.int);
    expect(process.listenerCount('exit')).toBe(before.exit);
    // afterwards a message goes straight to the terminal
    notices.say('later');
    expect(text().endsWith('later\n')).toBe(true);
  });
});

describe('the text of a run', () => {
  it('is cut in the name of the arm, never in the loss', () => {
    const followed = {
      id: 'a',
      arm: 'fine-tuned, not normalised, encoderLearningRate 0.0003',
      seed: 2,
      step: 'training',
      detail: 'epoch 3 of 6, loss 0.512',
      share: 0.5,
    };
    const text = runText(followed, 55);
    expect([...text]).toHaveLength(55);
    expect(text).toMatch(/^fine-tuned, .*…, seed 2: epoch 3 of 6, loss 0\.512$/);
  });
});
