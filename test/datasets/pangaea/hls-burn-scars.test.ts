import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
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
});
