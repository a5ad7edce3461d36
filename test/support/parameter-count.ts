import type { ParameterStore } from '../../src/layers/parameters.js';
import { sizeOf } from '../../src/shapes.js';

/** Scalars of a model that gradients may move: all but running statistics. */
export const parameterCount = (store: ParameterStore): number =>
  store.all
    .filter(({ role }) => role !== 'statistic')
    .reduce((sum, { variable }) => sum + sizeOf(variable.shape), 0);
