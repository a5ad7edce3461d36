import { lookUp } from '../registry.js';
import type { DatasetDefinition } from './dataset.js';
import { geobench } from './geobench/registry.js';
import { geobench2 } from './geobench2/registry.js';
import type { SceneReader } from './loaded-dataset.js';
import { pangaea } from './pangaea/registry.js';

/** Every dataset with code here, by the benchmark that released it. */
export const datasets = { ...pangaea, ...geobench, ...geobench2 };

/** @throws UsageError DATASET_UNKNOWN */
export const getDatasetDefinition = (id: string): Promise<DatasetDefinition> =>
  lookUp<DatasetDefinition>(datasets, id, 'dataset');

const scenes = {
  'neon-crowns': async (): Promise<SceneReader> => (await import('./neon-crowns.js')).neonCrowns,
};

/** @throws UsageError DATASET_UNKNOWN */
export const getDataset = (id: string): Promise<SceneReader> => lookUp(scenes, id, 'dataset');
