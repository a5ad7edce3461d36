import { scoreMatrix, type ScoreMatrix, type ScoreMatrixOptions } from '../../src/statistics/score-matrix.js';

/** Matrix of models `m0`, `m1`, … on datasets `d0`, `d1`, … with seeds 0, 1, …. @param scores [model][dataset][run] */
export const matrixOf = (
  scores: readonly (readonly (readonly number[])[])[],
  options: ScoreMatrixOptions = {},
): ScoreMatrix =>
  scoreMatrix(
    scores.flatMap((row, model) =>
      row.flatMap((cell, dataset) =>
        cell.map((score, seed) => ({
          model: `m${model}`,
          dataset: `d${dataset}`,
          seed: String(seed),
          metric: null,
          score,
        })),
      ),
    ),
    options,
  );
