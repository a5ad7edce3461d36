import { describe, expect, it } from 'vitest';
import { summarizeScores } from '../../src/cli/score-summary.js';
import type { RunRecord, ScoreRow } from '../../src/results/run-record.js';

const score = (
  split: string,
  evaluation: ScoreRow['evaluation'],
  value: number | null,
  place = 'all',
): ScoreRow => ({
  split,
  place,
  evaluation,
  metric: 'mIoU',
  className: null,
  value,
});

const record = (arm: string, scores: readonly ScoreRow[], seconds: number): RunRecord =>
  ({ arm, scores, cost: { seconds: { train: seconds } } }) as unknown as RunRecord;

describe('summarizeScores', () => {
  it('gives the mean over seeds with its 95 % interval, a column a split and evaluation', () => {
    const rows = summarizeScores([
      record('frozen', [score('test', 'tiles', 0.6), score('away', 'sliding-window', 0.5)], 10),
      record('frozen', [score('test', 'tiles', 0.7), score('away', 'sliding-window', 0.5)], 20),
      record('all background', [score('test', 'tiles', 0.34)], 1),
    ]);
    // two values 0.1 apart: s / √2 = 0.05, t(0.95, 1) = 12.706
    expect(rows[0]).toEqual({
      arm: 'frozen',
      runs: 2,
      'test mIoU': '0.650 ± 0.635',
      'away mIoU, sliding window': '0.500 ± 0.000',
      'seconds a run': 15,
    });
    expect(rows[1]).toMatchObject({ runs: 1, 'test mIoU': '0.340', 'away mIoU, sliding window': '–' });
  });

  it('leaves single places and undefined scores out of the mean', () => {
    const rows = summarizeScores([
      record('a', [score('away', 'tiles', 0.9, 'OSBS 029'), score('away', 'tiles', null)], 1),
    ]);
    expect(rows).toEqual([{ arm: 'a', runs: 1, 'away mIoU': '–', 'seconds a run': 1 }]);
  });
});
