import { describe, expect, it } from 'vitest';
import { readBenchmarkManifest } from '../../src/manifests/benchmark-manifest.js';
import { resolveDatasetId } from '../../src/manifests/dataset-ids.js';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';

describe('a name of a dataset', () => {
  it.each([
    ['hls-burn-scars', 'hls-burn-scars'],
    ['HLSBurnScars', 'hls-burn-scars'],
    ['Fields of The World', 'gb2-ftw'],
    ['m-SA-crop-type', 'm-sa-crop-type'],
    ['M_EUROSAT', 'm-eurosat'],
  ])('%s means %s', (name, id) => {
    expect(resolveDatasetId(name)).toBe(id);
  });

  it('that several benchmarks use is settled by the benchmark in force', () => {
    expect(resolveDatasetId('spacenet7', 'pangaea')).toBe('spacenet7-change');
    expect(resolveDatasetId('spacenet7', 'geobench2')).toBe('gb2-spacenet7');
    expect(resolveDatasetId('so2sat', 'geobench')).toBe('m-so2sat');
  });

  it('that several benchmarks use is an error with the candidates where none is in force', () => {
    for (const name of ['pastis', 'so2sat', 'forestnet', 'dynamic_earthnet', 'burn_scars']) {
      expect(() => resolveDatasetId(name)).toThrow(expect.objectContaining({ code: 'DATASET_AMBIGUOUS' }));
    }
    expect(() => resolveDatasetId('spacenet7')).toThrow(
      expect.objectContaining({
        code: 'DATASET_AMBIGUOUS',
        hint: expect.stringMatching(/gb2-spacenet7 .*spacenet7-change/),
      }),
    );
  });

  it('that is an id goes before the same word as another name', () => {
    expect(resolveDatasetId('biomassters')).toBe('biomassters');
    expect(resolveDatasetId('biomassters', 'geobench2')).toBe('gb2-biomassters');
  });

  it('that nothing is called stays as it is', () => {
    expect(resolveDatasetId('neon-crown')).toBe('neon-crown');
  });
});

describe('the manifest of a benchmark', () => {
  it.each(listManifests('benchmarks'))('names datasets that are its own: %s', (id) => {
    const { datasets, capabilities, faults } = readBenchmarkManifest(id);
    const ids = datasets.map(({ dataset }) => dataset);
    expect(ids.map((dataset) => readDatasetManifest(dataset).benchmark)).toEqual(ids.map(() => id));
    for (const members of Object.values(capabilities))
      expect(ids).toEqual(expect.arrayContaining([...members]));
    expect(new Set(faults.map((fault) => fault.id)).size).toBe(faults.length);
  });
});
