import { expect, it } from 'vitest';
import { checkTable } from '../../../src/report/leaderboard/leaderboard-tables.js';

it('says in words what a source lacks', () => {
  const html = String(
    checkTable({
      ...{ source: 'mine.csv', datasets: ['gb2-caffe'], models: 1, isComplete: false },
      shortfalls: [
        {
          ...{ code: 'TRIALS_UNKNOWN', model: 'm', dataset: 'gb2-caffe', have: null, due: 16 },
          text: 'm on gb2-caffe: the table does not say the trials.',
        },
      ],
    }),
  );
  expect(html).toContain('number of trials');
  expect(html).not.toContain('TRIALS_UNKNOWN');
});
