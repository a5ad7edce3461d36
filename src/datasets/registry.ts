import { resolveDatasetId } from '../manifests/dataset-ids.js';
import { lookUp } from '../registry.js';
import type { DatasetDefinition } from './dataset.js';
import { geobench } from './geobench/registry.js';
import { geobench2 } from './geobench2/registry.js';
import { pangaea } from './pangaea/registry.js';

/** Every dataset with code here, by the benchmark that released it. */
export const datasets = {
  'neon-crowns': async (): Promise<DatasetDefinition> => (await import('./neon-crowns.js')).neonCrowns,
  ...pangaea,
  ...geobench,
  ...geobench2,
};

/**
 * The code of a dataset, by its id or another name of it.
 * @param benchmark in force, where several have a dataset of that name
 * @throws UsageError DATASET_UNKNOWN, DATASET_AMBIGUOUS
 */
export const getDatasetDefinition = (name: string, benchmark?: string): Promise<DatasetDefinition> =>
  lookUp<DatasetDefinition>(datasets, resolveDatasetId(name, benchmark), 'dataset');
