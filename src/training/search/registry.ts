import { hyperbandPruner, medianPruner } from './pruners.js';
import { gridSampler, randomSampler, type Sampler } from './samplers.js';
import { tpeSampler } from './tpe.js';

/** Samplers by the names that manifests give them. */
export const samplers = {
  grid: () => gridSampler,
  random: () => randomSampler,
  tpe: tpeSampler,
} as const satisfies Record<string, () => Sampler>;

/** Pruners likewise; Hyperband has to know how many steps a whole trial has. */
export const pruners = { hyperband: hyperbandPruner, median: medianPruner } as const;
