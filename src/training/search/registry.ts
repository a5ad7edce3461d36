import { hyperbandPruner, medianPruner } from './pruners.js';
import { gridSampler, randomSampler, type SearchSampler } from './samplers.js';
import { tpeSampler } from './tpe.js';

/** Samplers by the names that manifests give them. */
export const samplers = {
  grid: () => gridSampler,
  random: () => randomSampler,
  tpe: tpeSampler,
} as const satisfies Record<string, () => SearchSampler>;

/** Pruners likewise; Hyperband has to know how many steps a whole trial has. */
export const pruners = { hyperband: hyperbandPruner, median: medianPruner } as const;
