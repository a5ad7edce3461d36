import { resolveDatasetId } from '../manifests/dataset-ids.js';
import { readDatasetManifest } from '../manifests/dataset-manifest.js';
import { listManifests } from '../manifests/read-manifest.js';
import { lookUp } from '../registry.js';
import type { DatasetDefinition } from './dataset.js';
import { geobench } from './geobench/registry.js';
import { geobench2 } from './geobench2/registry.js';
import { pairedRasters } from './paired-rasters.js';
import { pangaea } from './pangaea/registry.js';

/** Every dataset with code of its own, by the benchmark that released it. */
export const datasets = {
  'neon-crown-boxes': async (): Promise<DatasetDefinition> =>
    (await import('./neon-crowns.js')).neonCrownBoxes,
  'neon-crowns': async (): Promise<DatasetDefinition> => (await import('./neon-crowns.js')).neonCrowns,
  ...pangaea,
  ...geobench,
  ...geobench2,
};

/**
 * The code of a dataset, by its id or another name of it; one of images and label maps in folders needs only a manifest.
 * @param benchmark in force, where several have a dataset of that name
 * @throws UsageError DATASET_UNKNOWN, DATASET_AMBIGUOUS; InputError MANIFEST_INVALID
 */
export function getDatasetDefinition(name: string, benchmark?: string): Promise<DatasetDefinition> {
  const id = resolveDatasetId(name, benchmark);
  if (!Object.hasOwn(datasets, id) && listManifests('datasets').includes(id)) {
    const { pairs } = readDatasetManifest(id).layout;
    // entries of one dataset go into its own `read` alone
    if (pairs) return Promise.resolve({ id, ...pairedRasters(pairs) } as unknown as DatasetDefinition);
  }
  return lookUp<DatasetDefinition>(datasets, id, 'dataset');
}
