import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of GEO-Bench. */
export const geobench = {} satisfies Registry<DatasetDefinition>;
