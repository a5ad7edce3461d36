import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';

describe('faults that steps ask for', () => {
  it.each([
    ['mados', 'focus-crop-offsets'],
    ['gb2-biomassters', 'target-scale'],
    ['gb2-cloudsen12', 'normalisation-lost'],
    ['pastis-r', 'shuffled-dates'],
    ['xview2', 'band-names'],
  ])('%s: %s is in the manifest and can be switched', (dataset, fault) => {
    const found = readDatasetManifest(dataset).faults.find(({ id }) => id === fault);
    expect(found?.isSwitchable).toBe(true);
  });
});
