import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { bandNames } from '../../../src/datasets/reference.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { readPng } from '../../../src/io/png.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/xview2');

/** How often each sample comes, by the damage in it. */
async function timesByDamage(isPublished: boolean): Promise<Record<string, number[]>> {
  const dataset = await openDataset('xview2', root, { faults: { oversampling: isPublished } });
  const epoch = (await dataset.epoch('train')).map(({ id }) => id);
  const times: Record<string, Set<number>> = {};
  for (const entry of await dataset.entries('train')) {
    const { labels } = (await dataset.read('train', entry)).target as TargetOf<'mask'>;
    const present = new Set<number>(labels.data);
    const damage = present.has(2) || present.has(3) ? 'partly' : present.has(4) ? 'destroyed' : 'undamaged';
    (times[damage] ??= new Set()).add(epoch.filter((id) => id === entry.id).length);
  }
  return Object.fromEntries(Object.entries(times).map(([damage, counts]) => [damage, [...counts]]));
}

describe('xview2', () => {
  it('gives blue, green and red of the image before and the one after', async () => {
    const dataset = await openDataset('xview2', root);
    const { images } = await dataset.read('test', 'santa-rosa-wildfire_00000001');
    const file = path.join(root, 'test/images/santa-rosa-wildfire_00000001_post_disaster.png');
    const { data: stored } = await readPng(file);
    const { data, bands, timeCount, dates } = images.optical!;
    expect([bands, timeCount, dates]).toEqual([['B2', 'B3', 'B4'], 2, ['2017-08-31', '2017-08-31']]);
    const after = 32 * 32 * 3;
    expect([...data.subarray(after, after + 3)]).toEqual([stored[2], stored[1], stored[0]]);
  });

  it('calls the channels what they are; as published blue goes by the name of red', async () => {
    expect(bandNames(await openDataset('xview2', root), 'optical')).toEqual(['B2', 'B3', 'B4']);
    const published = await openDataset('xview2', root, { mode: 'as-published' });
    expect(bandNames(published, 'optical')).toEqual(['B4', 'B3', 'B2']);
  });

  it('repeats images as the paper says; as published by another rule', async () => {
    expect(await timesByDamage(false)).toEqual({ undamaged: [2], partly: [3], destroyed: [3] });
    expect(await timesByDamage(true)).toEqual({ undamaged: [1], partly: [3], destroyed: [2] });
  });

  it('brings an image without a building once, and repeats nothing outside training', async () => {
    const folder = fixtureCopy('pangaea/xview2');
    const id = 'joplin-tornado_00000009';
    for (const moment of ['pre', 'post']) {
      rmSync(path.join(folder, `tier3/masks/${id}_${moment}_disaster.png`));
      writeFileSync(
        path.join(folder, `tier3/labels/${id}_${moment}_disaster.json`),
        '{"features": {"xy": []}}',
      );
    }
    const dataset = await openDataset('xview2', folder);
    expect((await dataset.epoch('train')).filter((entry) => entry.id === id)).toHaveLength(1);
    expect(await dataset.epoch('val')).toHaveLength(2);
  });

  it('draws from the outlines, pixel by pixel, the masks that the reference has drawn', async () => {
    const folder = fixtureCopy('pangaea/xview2');
    for (const part of ['train', 'tier3', 'test'])
      rmSync(path.join(folder, part, 'masks'), { recursive: true });
    const [drawn, read] = [await openDataset('xview2', folder), await openDataset('xview2', root)];
    for (const split of ['train', 'val', 'test']) {
      for (const { id } of await read.entries(split)) {
        const own = (await drawn.read(split, id)).target as TargetOf<'mask'>;
        const wanted = (await read.read(split, id)).target as TargetOf<'mask'>;
        expect([...own.labels.data], id).toEqual([...wanted.labels.data]);
        expect([...own.parts!.before!.data], id).toEqual([...wanted.parts!.before!.data]);
      }
    }
    expect(await drawn.epoch('train')).toEqual(await read.epoch('train'));
  });

  it('says where neither a mask nor outlines are', async () => {
    const folder = fixtureCopy('pangaea/xview2');
    for (const part of ['masks', 'labels']) rmSync(path.join(folder, 'test', part), { recursive: true });
    const dataset = await openDataset('xview2', folder);
    await expect(dataset.read('test', 'santa-rosa-wildfire_00000000')).rejects.toMatchObject({
      code: 'FILE_MISSING',
      hint: expect.stringContaining('labels') as string,
    });
  });

  it.each([
    ['{"features": []}', 'ANNOTATION_MALFORMED'],
    [
      '{"features": {"xy": [{"properties": {"subtype": "scorched"}, "wkt": "POLYGON EMPTY"}]}}',
      'LABEL_UNKNOWN',
    ],
    ['{"features": {"xy": [{"properties": {}, "wkt": "POLYGON EMPTY"}]}}', 'LABEL_UNKNOWN'],
    ['{"features": {"xy": [{"properties": {"subtype": "destroyed"}}]}}', 'ANNOTATION_MALFORMED'],
    ['{"features": {"xy": [{"properties": {"subtype": "destroyed"}, "wkt": "POLYGON"}]}}', 'WKT_MALFORMED'],
    ['{"features": {"xy": [', 'JSON_MALFORMED'],
  ])('refuses outlines %s', async (content, code) => {
    const folder = fixtureCopy('pangaea/xview2');
    const file = path.join(folder, 'test/labels/santa-rosa-wildfire_00000000_post_disaster.json');
    writeFileSync(file, content);
    const dataset = await openDataset('xview2', folder);
    await expect(dataset.read('test', 'santa-rosa-wildfire_00000000')).rejects.toMatchObject({
      code,
      where: expect.stringContaining(file) as string,
    });
  });

  it('splits each disaster nine to one, the same way at every opening', async () => {
    const dataset = await openDataset('xview2', root);
    const [train, val] = [await dataset.entries('train'), await dataset.entries('val')];
    expect([train.length, val.length]).toEqual([18, 2]);
    expect(new Set(val.map(({ id }) => id.split('_')[0]))).toEqual(
      new Set(['hurricane-harvey', 'joplin-tornado']),
    );
    const again = await (await openDataset('xview2', root)).entries('train');
    expect(again.map(({ id }) => id)).toEqual(train.map(({ id }) => id));
  });

  it('says which folder has no images', async () => {
    const folder = fixtureCopy('pangaea/xview2');
    rmSync(path.join(folder, 'tier3'), { recursive: true });
    const dataset = await openDataset('xview2', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_FILES',
      where: path.join(folder, 'tier3/images'),
    });
  });
});
