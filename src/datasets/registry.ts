import { lookUp } from '../registry.js';
import type { DatasetReader } from './dataset.js';

/** Every dataset with code of its own. */
export const datasets = {
  'neon-crowns': async (): Promise<DatasetReader> => (await import('./neon-crowns.js')).neonCrowns,
};

/** @throws UsageError DATASET_UNKNOWN */
export const getDataset = (id: string): Promise<DatasetReader> => lookUp(datasets, id, 'dataset');
