import { lookUp } from '../registry.js';
import type { DatasetDefinition } from './dataset.js';
import type { SceneReader } from './loaded-dataset.js';

/** Every dataset with code of its own. */
export const datasets = {
  'hls-burn-scars': async (): Promise<DatasetDefinition> =>
    (await import('./pangaea/hls-burn-scars.js')).hlsBurnScars,
};

/** @throws UsageError DATASET_UNKNOWN */
export const getDatasetDefinition = (id: string): Promise<DatasetDefinition> =>
  lookUp(datasets, id, 'dataset');

const scenes = {
  'neon-crowns': async (): Promise<SceneReader> => (await import('./neon-crowns.js')).neonCrowns,
};

/** @throws UsageError DATASET_UNKNOWN */
export const getDataset = (id: string): Promise<SceneReader> => lookUp(scenes, id, 'dataset');
