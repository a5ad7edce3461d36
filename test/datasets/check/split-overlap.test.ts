import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDataset } from '../../../src/datasets/check/check-dataset.js';
import { compareLists } from '../../../src/datasets/check/split-overlap.js';
import { defineDataset, openDataset, type Entry } from '../../../src/datasets/dataset.js';
import { tempFolder } from '../../support/temp-folder.js';
import { writeTiff } from '../../support/tiff-writer.js';

const told = (lists: Record<string, readonly Entry[]>): unknown[] =>
  compareLists(new Map(Object.entries(lists))).findings.map(({ code, where }) => `${code} ${where}`);
const file = (id: string, image: string): Entry => ({ id, image }) as Entry;

describe('the lists of splits', () => {
  it('share a sample by its id, or by its file under another id', () => {
    expect(told({ train: [{ id: 'a' }], test: [{ id: 'a' }] })).toEqual(['SPLIT_LEAK train and test']);
    const [a, b] = [file('a', 'all/a.tif'), file('b', 'all/a.tif')];
    expect(told({ train: [a], test: [a] })).toEqual(['SPLIT_LEAK train and test']);
    expect(told({ train: [a], test: [b] })).toEqual(['SPLIT_LEAK train and test']);
    expect(compareLists(new Map(Object.entries({ train: [a], test: [a] }))).shared).toEqual(new Set(['a']));
  });

  it('may name different files alike, each in a folder of its own', () => {
    const lists = { train: [file('a', 'train/a.tif')], test: [file('a', 'test/a.tif')] };
    expect(told(lists)).toEqual(['DUPLICATE_ID train and test']);
    expect(compareLists(new Map(Object.entries(lists))).shared.size).toBe(0);
  });
});

describe('image and mask in folders a split', () => {
  const fields = defineDataset('fields-named-alike', {
    manifest: {
      task: 'segmentation',
      modalities: { optical: { bands: ['red'] } },
      classes: ['no', 'yes'],
      splits: ['train', 'test'],
      pairs: { images: '{split}/images', masks: '{split}/labels' },
    },
  });

  it('are no leak where files have the same names, and one where they have the same pixels', async () => {
    const root = tempFolder();
    const write = (split: string, image: readonly number[]): void => {
      for (const [folder, pixels] of Object.entries({ images: image, labels: [0, 1] })) {
        mkdirSync(path.join(root, split, folder), { recursive: true });
        const bytes = writeTiff(Uint8Array.from(pixels), { height: 1, width: 2, bands: 1 });
        writeFileSync(path.join(root, split, folder, '0.tif'), bytes);
      }
    };
    write('train', [1, 2]);
    write('test', [3, 4]);
    const leaks = async (): Promise<unknown[]> =>
      (await checkDataset(await openDataset(fields, root))).findings.filter(
        ({ severity }) => severity === 'error',
      );
    expect(await leaks()).toEqual([]);
    write('test', [1, 2]);
    expect(await leaks()).toMatchObject([{ code: 'SPLIT_LEAK', where: 'train and test' }]);
  });
});
