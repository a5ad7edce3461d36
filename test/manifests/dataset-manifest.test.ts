import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { findBand, readSensorManifest } from '../../src/manifests/sensor-manifest.js';

const ids = listManifests('datasets');

describe('the manifest of a dataset', () => {
  it('is there for each of the 42 datasets of the three benchmarks', () => {
    const benchmarks = ids.map((id) => readDatasetManifest(id).benchmark);
    const count = (benchmark: string): number => benchmarks.filter((own) => own === benchmark).length;
    expect([count('pangaea'), count('geobench'), count('geobench2')]).toEqual([11, 12, 19]);
  });

  it.each(ids)('is valid, and its bands are those of its sensors: %s', (id) => {
    const manifest = readDatasetManifest(id);
    expect(manifest.id).toBe(id);
    expect(manifest.hash).toMatch(/^[0-9a-f]{64}$/);
    for (const { sensor, bands } of Object.values(manifest.modalities)) {
      const known = readSensorManifest(sensor);
      if (known.bands.length === 0) continue; // a cube without names
      const strange = bands.filter((band) => findBand(known, band.id)?.name !== band.id);
      expect(strange).toEqual([]);
    }
  });

  it.each(ids)('gives label rules that end in its classes or in its ignore value: %s', (id) => {
    const { labels, classes } = readDatasetManifest(id);
    for (const label of Object.values(labels.map ?? {})) {
      expect(
        label === labels.ignoreIndex ||
          labels.voidClasses.includes(label) ||
          (label >= 0 && label < classes.length),
      ).toBe(true);
    }
    // a value just beyond the classes may mean "unknown"
    expect(labels.voidClasses.every((index) => index <= classes.length)).toBe(true);
  });

  it.each(ids)('names a fault for each band that the reference takes for another: %s', (id) => {
    const { modalities, faults } = readDatasetManifest(id);
    const bands = Object.values(modalities).flatMap((modality) => modality.bands);
    const isRenamed = bands.some(({ id: held, reference }) => held !== reference);
    expect(faults.some((fault) => fault.id === 'band-names')).toBe(isRenamed);
  });
});
