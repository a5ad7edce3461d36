import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of GEO-Bench-2. */
export const geobench2 = {} satisfies Registry<DatasetDefinition>;
