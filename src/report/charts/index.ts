import { convergenceChart } from './convergence.js';
import { scoresChart } from './scores.js';

/** Charts as plain Vega-Lite specifications, for `display.chart` or any other tool. */
export const charts = { scores: scoresChart, convergence: convergenceChart };
