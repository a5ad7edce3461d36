import { createOptimizer } from './optimizers/create-optimizer.js';
import type { Optimizer, ParameterGroup } from './optimizers/optimizer.js';

export type { Optimizer, ParameterGroup } from './optimizers/optimizer.js';

/** AdamW over groups of parameters. */
export const adamW = (groups: readonly ParameterGroup[]): Optimizer =>
  createOptimizer({ name: 'adamw', groups });
