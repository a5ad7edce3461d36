import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { datasetPlaces } from '../../../src/datasets/places/dataset-places.js';
import { fixture } from '../../support/fixture-copy.js';

describe('places of samples', () => {
  it('come from coordinate system and transform of the images', async () => {
    const dataset = await openDataset('hls-burn-scars', fixture('pangaea/hlsburnscars'));
    const { places, looked, without } = await datasetPlaces(dataset);
    expect([looked, without]).toEqual([8, 0]);
    for (const { sample, longitude, latitude } of places) {
      // the tile's name says its zone of UTM, which is 6 degrees wide; the fixtures lie in its middle
      const zone = Number(/\.T(\d\d)/.exec(sample)![1]);
      expect(Math.abs(longitude - (6 * zone - 183))).toBeLessThan(3.5);
      expect(latitude).toBeGreaterThan(25);
      expect(latitude).toBeLessThan(50);
    }
  });

  it('come from the table of a container, which is read without pixels', async () => {
    const dataset = await openDataset('gb2-caffe', fixture('geobench2/caffe'));
    const noPixels = { ...dataset, read: () => Promise.reject(new Error('a sample was read')) };
    const { places } = await datasetPlaces(noPixels, { split: 'train' });
    expect(places[0]).toMatchObject({ split: 'train', longitude: -49.3482, latitude: 69.1458 });
  });

  it('are counted where there are none', async () => {
    const dataset = await openDataset(
      'm-eurosat',
      fixture('geobench/m-eurosat/classification_v1.0/m-eurosat'),
    );
    const { places, looked, without } = await datasetPlaces(dataset);
    expect(places).toEqual([]);
    expect(without).toBe(looked);
    const dummy = await openDataset('gb2-biomassters', fixture('geobench2/biomassters'));
    expect((await datasetPlaces(dummy)).places).toEqual([]); // their transforms count pixels
  });
});
