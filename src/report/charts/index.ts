import { convergenceChart } from './convergence.js';
import { scoresChart } from './scores.js';

/** Charts as plain Vega-Lite specifications, for `display.chart` or any other tool. */
export const charts = {
  /**
   * Scores by arm: a dot for each mean, a bar for its 95 % interval (Student's t), a tick for each seed;
   * trivial predictors are dashed lines.
   * @throws InputError CHART_INPUT where the records hold no such scores
   */
  scores: scoresChart,
  /**
   * Validation score or training loss by epoch: a faint line for each seed, a strong one for the arm's mean.
   * @throws InputError CHART_INPUT where the records hold no such dataset
   */
  convergence: convergenceChart,
};
