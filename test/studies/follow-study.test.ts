import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/results/run-record.js';
import { followStudy } from '../../src/studies/follow-study.js';
import type { PlannedRun, StudyEvent } from '../../src/studies/study.js';

const planned = (id: string, encoderMode: string, encoder = 'e'): PlannedRun =>
  ({
    id,
    arm: encoder === 'none' ? id : encoderMode,
    definition: { seed: 0, encoder, settings: { encoderMode } },
  }) as unknown as PlannedRun;

/** A follower with its clock in seconds and the last state that its view was given. */
function follow(missing: readonly PlannedRun[]) {
  let seconds = 0;
  let last: { share: number; text: string; left: number | null | undefined } | undefined;
  let isFinished = false;
  const onEvent = followStudy(
    {
      update: (share, text, left) => void (last = { share, text, left }),
      finish: () => void (isFinished = true),
    },
    { now: () => seconds * 1000 },
  );
  const at = (time: number, event: StudyEvent): void => {
    seconds = time;
    onEvent(event);
  };
  at(0, { type: 'plan', total: missing.length, finished: 0, missing });
  return {
    start: (time: number, run: PlannedRun) => at(time, { type: 'run-started', run, index: 0, total: 1 }),
    step: (time: number, run: PlannedRun, share: number, phase: 'prepare' | 'train' | 'validate' = 'train') =>
      at(time, { type: 'step', run: run.id, phase, share }),
    end: (time: number, run: PlannedRun) =>
      at(time, { type: 'run-finished', record: run as unknown as RunRecord, index: 0, total: 1 }),
    state: () => last!,
    isFinished: () => isFinished,
  };
}

describe('the time left', () => {
  it('counts neither the start of the engine nor a download, and is not told before an epoch', () => {
    const runs = [planned('a', 'frozen'), planned('b', 'frozen')];
    const { start, step, state } = follow(runs);
    start(60, runs[0]!); // the engine took a minute to start
    step(160, runs[0]!, 0, 'prepare'); // the data a hundred seconds to come
    step(161, runs[0]!, 0.1);
    step(165, runs[0]!, 0.5);
    expect(state().left).toBeNull();
    step(165, runs[0]!, 0.5, 'validate');
    // 1 s before the first share, 10 s a whole run at 0.1 a second, so 1 + 9 = 10 s a run: 5 left and 10 waiting
    expect(state().left).toBeCloseTo(15, 6);
  });

  it('learns what an arm takes from its finished runs, and shares what waits among processes', () => {
    const runs = [
      planned('a', 'frozen'),
      planned('b', 'fine-tuned'),
      planned('c', 'frozen'),
      planned('d', 'fine-tuned'),
      planned('all crown', '', 'none'),
    ];
    const [a, b, c] = runs as [PlannedRun, PlannedRun, PlannedRun];
    const { start, end, state } = follow(runs);
    start(0, a);
    start(0, b);
    end(20, a);
    // 30 s of b (2.5 × 20 s, until one is known), 20 s of c and 50 s of d, by two processes; the predictor takes none
    expect(state().left).toBeCloseTo((30 + 20 + 50) / 2, 6);
    start(20, c);
    end(60, b);
    // c is overdue; d takes what b took
    expect(state().left).toBeCloseTo(60 / 2, 6);
  });
});

describe('the share', () => {
  it('counts all runs at work and no trivial predictor, and the bar ends with the last run', () => {
    const runs = [planned('a', 'frozen'), planned('b', 'frozen'), planned('all crown', '', 'none')];
    const [a, b, crown] = runs as [PlannedRun, PlannedRun, PlannedRun];
    const { start, step, end, state, isFinished } = follow(runs);
    expect(state()).toMatchObject({ share: 0, text: 'starting the engine', left: null });
    start(0, crown);
    end(1, crown);
    expect(state().share).toBe(0);
    start(1, a);
    start(1, b);
    step(2, a, 0.5);
    step(2, b, 0.25);
    expect(state().share).toBeCloseTo(0.375, 9);
    end(3, a);
    expect(state().share).toBeCloseTo(0.625, 9);
    step(3, a, 0.9); // a late word of a run that has ended
    expect(state().share).toBeCloseTo(0.625, 9);
    end(4, b);
    expect(isFinished()).toBe(true);
  });
});

describe('the words', () => {
  it('name the score by which the epoch is chosen, and the dataset where there are several', () => {
    const run = (id: string, dataset: string): PlannedRun => {
      const { arm, definition } = planned(id, 'frozen');
      return { id, arm, definition: { ...definition, dataset } };
    };
    const wordsOf = (runs: readonly PlannedRun[], metric: string, score: number): string => {
      let last = '';
      const onEvent = followStudy({ update: (_, text) => void (last = text), finish: () => undefined });
      onEvent({ type: 'plan', total: runs.length, finished: 0, missing: runs });
      onEvent({ type: 'run-started', run: runs[0]!, index: 0, total: runs.length });
      const step = {
        type: 'step',
        run: runs[0]!.id,
        phase: 'validate',
        share: 0.5,
        epoch: 2,
        epochs: 6,
      } as const;
      onEvent({ ...step, score, metric });
      return last;
    };
    expect(wordsOf([run('a', 'biomass')], 'RMSE', 31.257)).toBe(
      'frozen, seed 0, validating, epoch 2 of 6, validation RMSE 31.26',
    );
    expect(wordsOf([run('a', 'biomass'), run('b', 'burns')], 'mIoU', 0.61234)).toBe(
      'biomass, frozen, seed 0, validating, epoch 2 of 6, validation mIoU 0.612',
    );
  });
});
