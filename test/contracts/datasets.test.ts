import { describe, expect, it } from 'vitest';
import { datasets, getDatasetDefinition } from '../../src/datasets/registry.js';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';

describe('every dataset', () => {
  it.each(listManifests('datasets'))(
    'has a manifest and code, or a manifest that needs none: %s',
    async (id) => {
      expect((await getDatasetDefinition(id)).id).toBe(id);
    },
  );

  it.each(Object.keys(datasets))('of the registry has a manifest of its id: %s', (id) => {
    expect(readDatasetManifest(id).id).toBe(id);
  });
});
