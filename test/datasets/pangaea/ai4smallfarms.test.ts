import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/ai4smallfarms');
const idsOf = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);

describe('ai4smallfarms', () => {
  it('brings every tile once an epoch; as published twice, in validation as well', async () => {
    const corrected = await openDataset('ai4smallfarms', root);
    expect(idsOf(await corrected.epoch('train'))).toEqual(['tile_00.tif', 'tile_01.tif', 'tile_02.tif']);
    const published = await openDataset('ai4smallfarms', root, { mode: 'as-published' });
    expect(idsOf(await published.epoch('train'))).toEqual([
      'tile_00.tif',
      'tile_00.tif',
      'tile_01.tif',
      'tile_01.tif',
      'tile_02.tif',
      'tile_02.tif',
    ]);
    expect(idsOf(await published.epoch('val'))).toEqual(['tile_40.tif', 'tile_40.tif']);
    expect(idsOf(await published.epoch('test'))).toEqual(['tile_50.tif']);
    expect(await published.entries('train')).toHaveLength(3);
  });

  it('takes val under the name of the release', async () => {
    const folder = fixtureCopy('pangaea/ai4smallfarms');
    renameSync(path.join(folder, 'sentinel-2-asia/val'), path.join(folder, 'sentinel-2-asia/validate'));
    expect(idsOf(await (await openDataset('ai4smallfarms', folder)).entries('validate'))).toEqual([
      'tile_40.tif',
    ]);
  });

  it('does not pair images and masks whose numbers differ', async () => {
    const folder = fixtureCopy('pangaea/ai4smallfarms');
    rmSync(path.join(folder, 'sentinel-2-asia/train/masks/tile_01.tif'));
    const dataset = await openDataset('ai4smallfarms', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_FILES',
      message: 'There are 3 images and 2 label maps; each image has one.',
    });
  });
});
