import { convergenceChart } from './convergence.js';
import { costChart } from './cost.js';
import { criticalDifferenceChart } from './critical-difference.js';
import { detectionConfusionChart } from './detection-confusion.js';
import { effectsChart } from './effects.js';
import { capabilityHeatMap } from './heat-map.js';
import { labelFractionsChart } from './label-fractions.js';
import { leaderboardChart } from './leaderboard.js';
import { confusionChart, discriminativityChart } from './matrices.js';
import { overviewChart } from './overview.js';
import { precisionRecallChart } from './precision-recall.js';
import { rankingChangeChart } from './ranking-change.js';
import { scoresChart } from './scores.js';
import { violinChart } from './violin.js';

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
  /**
   * How scores spread over the runs of one dataset, or over resamples.
   * @throws InputError CHART_INPUT where there are no values, or the dataset is not told
   */
  violin: violinChart,
  /**
   * Every model on every dataset, a row a dataset, six models in colour.
   * @throws InputError CHART_INPUT where no model has runs
   */
  overview: overviewChart,
  /**
   * Score against cost, with the models that are worth theirs.
   * @throws InputError CHART_INPUT where no model has both
   */
  cost: costChart,
  /**
   * What a change, e.g. fine-tuning, did on each dataset, with Cohen’s d.
   * @throws InputError CHART_INPUT where no dataset has a difference
   */
  effects: effectsChart,
  /**
   * What each class is taken for.
   * @throws InputError CHART_INPUT where counts and classes do not match, or nothing was counted
   */
  confusion: confusionChart,
  /**
   * What objects are detected as, with what was missed and what is of nothing, from `detectionConfusion()`.
   * @throws InputError CHART_INPUT where nothing was counted
   */
  detectionConfusion: detectionConfusionChart,
  /**
   * Precision by recall of detections, from `detectionCurves()`.
   * @throws InputError CHART_INPUT where no class has an object, or there is no curve of the overlap
   */
  precisionRecall: precisionRecallChart,
  /**
   * Score by share of the training labels.
   * @throws InputError CHART_INPUT where no row has a score
   */
  labelFractions: labelFractionsChart,
  /**
   * How surely a dataset tells each two models apart.
   * @throws InputError CHART_INPUT where no model has runs
   */
  discriminativity: discriminativityChart,
  /**
   * Average ranks, and which models they do not tell apart.
   * @throws InputError CHART_INPUT where no model has every dataset
   */
  criticalDifference: criticalDifferenceChart,
};
