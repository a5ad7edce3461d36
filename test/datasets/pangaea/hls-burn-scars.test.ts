import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { asFed } from '../../../src/datasets/reference.js';
import type { TargetOf } from '../../../src/datasets/sample.js';

const root = fileURLToPath(new URL('../../fixtures/layouts/pangaea/hlsburnscars', import.meta.url));
const expected = JSON.parse(readFileSync(`${root}/expected.json`, 'utf8')) as {
  splits: Record<string, { ids: string[] }>;
};

describe('hls-burn-scars', () => {
  it.each(['train', 'val', 'test'])(
    'lists the samples of %s in the order of the reference',
    async (split) => {
      const dataset = await openDataset('hls-burn-scars', root);
      const entries = await dataset.entries(split);
      expect(entries.map(({ id }) => id)).toEqual(expected.splits[split]!.ids);
    },
  );

  it('reads an image of six bands with its place, and a mask whose pixels without data are left out', async () => {
    const dataset = await openDataset('hls-burn-scars', root);
    const [entry] = await dataset.entries('train');
    const { images, target } = await dataset.read('train', entry!);
    expect(images.optical).toMatchObject({ timeCount: 1, height: 32, width: 32, crs: 'EPSG:32612' });
    expect(images.optical!.bands).toEqual(['B2', 'B3', 'B4', 'B8A', 'B11', 'B12']);
    const { labels } = target as TargetOf<'mask'>;
    expect(labels.data.filter((label) => label === 1)).toHaveLength(113);
  });

  it('masks 9999; as published it is fed on as 0', async () => {
    const published = await openDataset('hls-burn-scars', root, { mode: 'as-published' });
    const scene = 'subsetted_512x512_HLS.S30.T10SEH.2018190.v1.4_merged.tif';
    const optical = (await published.read('train', scene)).images.optical!;
    const places = [...optical.data.keys()].filter((i) => optical.data[i] === 9999);
    expect(places).toHaveLength(2 * 5 * 6); // two rows of five pixels, six bands
    expect(places.every((i) => optical.valid![i] === 0)).toBe(true);
    const fed = asFed(published, 'optical', optical);
    expect([fed.valid, ...places.map((i) => fed.data[i])].every((value) => !value)).toBe(true);
    expect(asFed(await openDataset('hls-burn-scars', root), 'optical', optical)).toBe(optical);
  });
});
