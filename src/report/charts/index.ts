import { convergenceChart } from './convergence.js';
import { capabilityHeatMap } from './heat-map.js';
import { leaderboardChart } from './leaderboard.js';
import { rankingChangeChart } from './ranking-change.js';
import { scoresChart } from './scores.js';

/**
 * Charts as plain Vega-Lite specifications, for a notebook’s cell, `renderChart` or any other tool; `chartRows` gives the
 * numbers of one.
 */
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
  /**
   * Models from best to worst with intervals and ties.
   * @throws InputError CHART_INPUT where no model has a score
   */
  leaderboard: leaderboardChart,
  /**
   * Scores of models on capabilities, or on datasets taken as such.
   * @throws InputError CHART_INPUT where no model has a score
   */
  heatMap: capabilityHeatMap,
  /**
   * How places change between two rankings of the same models.
   * @throws InputError CHART_INPUT where no model has a score in both
   */
  rankingChange: rankingChangeChart,
};
