import { createRandom } from '../../../src/random.js';
import { bootstrap } from '../../../src/statistics/bootstrap.js';
import { randomDraws } from '../../../src/statistics/draws.js';
import { ranking, type RankingRow } from '../../../src/statistics/ranking.js';
import type { ScoreMatrix } from '../../../src/statistics/score-matrix.js';
import { matrixOf } from '../../statistics/matrix-of.js';

/** m1 and m0 overlap, m2 is far behind, m3 lacks a dataset. */
export const SCORES = [
  [
    [0.8, 0.7, 0.9],
    [0.7, 0.8, 0.9],
  ],
  [
    [0.75, 0.7, 0.92],
    [0.7, 0.87, 0.9],
  ],
  [
    [0.1, 0.2, 0.15],
    [0.2, 0.1, 0.12],
  ],
  [[0.9, 0.8], []],
];

export const rankingOf = (matrix: ScoreMatrix): RankingRow[] =>
  ranking(bootstrap(matrix, 'pooled-iqm', { resamples: 200, draws: randomDraws(createRandom(4)) }));

export const rankingOfScores = (scores: readonly (readonly (readonly number[])[])[]): RankingRow[] =>
  rankingOf(matrixOf(scores));
