import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset, type Dataset, type OpenOptions } from '../../src/datasets/dataset.js';
import { asFed, bandNames, ignoredLabels } from '../../src/datasets/reference.js';
import { sampleImage } from '../../src/datasets/image.js';
import type { TargetOf } from '../../src/datasets/sample.js';
import { bundleOf } from '../../src/display/bundle.js';
import { encodePng } from '../../src/io/png.js';
import { ownManifest } from '../../src/manifests/own-manifest.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeTiff } from '../support/tiff-writer.js';

/** Two samples; the second band is called "nir" by the reference. */
const two = defineDataset('two', {
  manifest: {
    task: 'segmentation',
    modalities: {
      optical: {
        bands: ['red', { id: 'alpha', reference: 'nir' }],
        invalidValues: [-1],
        referenceFill: 0,
      },
    },
    classes: ['a', 'b', 'void'],
    labels: { ignoreIndex: -1, voidClasses: [2] },
    splits: ['train', 'val'],
    parameters: { size: { meaning: 'side', default: 4 } },
    faults: [
      { id: 'band-names', asPublished: 'nir', corrected: 'alpha' },
      { id: 'invalid-filled', asPublished: '0', corrected: 'masked' },
      { id: 'void-scored', asPublished: 'scored', corrected: 'left out' },
      { id: 'twice', asPublished: 'twice', corrected: 'once' },
      { id: 'in-the-data', asPublished: 'so', corrected: 'nothing can mend it', isSwitchable: false },
    ],
  },
  entries: (split) => (split === 'train' ? [{ id: 'a' }, { id: 'b' }] : [{ id: 'c' }]),
  epoch: (entries, io) => (io.isOn('twice') ? [...entries, ...entries] : entries),
  read({ id }, io) {
    const bands = io.modality().bands.map((band) => band.id);
    const image = sampleImage({
      data: Float32Array.of(1, -1, NaN, 4),
      height: 1,
      width: 2,
      bands,
      invalidValues: [-1],
    });
    const labels = { data: Uint8Array.of(0, 1), height: 1, width: 2 };
    const target: TargetOf<'mask'> = { kind: 'mask', labels, stored: labels };
    return Promise.resolve({ images: { optical: image }, target, facts: { id, size: io.parameter('size') } });
  },
});

const open = (options?: OpenOptions): Promise<Dataset> => openDataset(two, tempFolder(), options);

describe('an open dataset', () => {
  it('lists entries and reads one sample by its id or its entry', async () => {
    const dataset = await open();
    const entries = await dataset.entries('train');
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await dataset.read('train', 'b')).toMatchObject({
      id: 'b',
      split: 'train',
      facts: { id: 'b', size: 4 },
    });
    expect((await dataset.read('train', entries[0]!)).id).toBe('a');
  });

  it('takes the names of splits that benchmarks use', async () => {
    const dataset = await open();
    expect((await dataset.entries('validation')).map(({ id }) => id)).toEqual(['c']);
    await expect(dataset.entries('tests')).rejects.toMatchObject({ code: 'SPLIT_UNKNOWN' });
    await expect(dataset.read('train', 'x')).rejects.toMatchObject({ code: 'SAMPLE_UNKNOWN' });
  });

  it('gives every sample of a split, one after the other', async () => {
    const ids: string[] = [];
    for await (const sample of (await open()).samples('train')) ids.push(sample.id);
    expect(ids).toEqual(['a', 'b']);
  });

  it('records which faults are on: all as published, none corrected, and those switched one by one', async () => {
    expect((await open()).faults).toEqual({
      'band-names': false,
      'invalid-filled': false,
      'void-scored': false,
      twice: false,
    });
    const published = await open({ mode: 'as-published', faults: { twice: false } });
    expect(published.faults).toMatchObject({ 'band-names': true, twice: false });
    expect((await published.epoch('train')).length).toBe(2);
    expect((await (await open({ faults: { twice: true } })).epoch('train')).length).toBe(4);
  });

  it('names bands, fills holes and scores void classes as the reference does only in its mode', async () => {
    const [corrected, published] = [await open(), await open({ mode: 'as-published' })];
    const image = (await corrected.read('train', 'a')).images.optical!;
    expect(bandNames(corrected, 'optical')).toEqual(['red', 'alpha']);
    expect(bandNames(published, 'optical')).toEqual(['red', 'nir']);
    expect([...image.valid!]).toEqual([1, 0, 0, 1]);
    expect(asFed(corrected, 'optical', image)).toBe(image);
    expect([...asFed(published, 'optical', image).data]).toEqual([1, 0, 0, 4]);
    expect(ignoredLabels(corrected)).toEqual([-1, 2]);
    expect(ignoredLabels(published)).toEqual([-1]);
  });

  it.each([
    { code: 'FAULT_UNKNOWN', options: { faults: { twic: true } } },
    { code: 'FAULT_FIXED', options: { faults: { 'in-the-data': false } } },
    { code: 'PARAMETER_UNKNOWN', options: { parameters: { sizes: 3 } } },
  ])('refuses what its manifest does not know: $code', async ({ code, options }) => {
    await expect(open(options)).rejects.toMatchObject({ code });
  });

  it('shows folder, mode and faults that are on; a sample shows its images and its truth', async () => {
    const dataset = await open({ faults: { twice: true } });
    const text = String((await bundleOf(dataset))['text/plain']);
    for (const word of ['corrected', 'twice', 'red', dataset.root]) expect(text).toContain(word);
    const sample = await dataset.read('train', 'a');
    expect(String((await bundleOf(sample))['text/plain'])).toMatch(
      /mask of 1 × 2 px, 2 labels[\s\S]*optical +1 +1 +2 +2 +float32 +50/,
    );
    expect(String((await bundleOf([sample]))['text/plain'])).toMatch(/^id\s+split\s+images\s+target\n/);
  });

  it('says which folder is missing', async () => {
    await expect(openDataset(two, '/nowhere/at/all')).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    const folder = tempFolder();
    const file = path.join(folder, 'two.tortilla');
    writeFileSync(file, '');
    await expect(openDataset(two, file)).rejects.toMatchObject({
      message: `${file} is no folder.`,
      hint: expect.stringContaining(`Name ${folder};`) as string,
    });
  });
});

describe('pixels that a file hides', () => {
  const hiding = defineDataset('hiding', {
    manifest: {
      task: 'classification',
      modalities: { optical: { bands: ['a', 'b'], invalidValues: [9] } },
      classes: ['x'],
      splits: ['train'],
    },
    entries: () => [{ id: 'one' }],
    read: async (_entry, io) => ({
      images: { optical: await io.raster('one.tif') },
      target: { kind: 'class', label: 0 },
    }),
  });

  it('do not count by its no-data value and the manifest’s together; as published only the latter are left out', async () => {
    const root = tempFolder();
    const nodata = [42113, 2, '7'] as const; // GDAL's tag
    const pixels = Uint8Array.of(7, 1, 2, 9, 3, 4);
    writeFileSync(path.join(root, 'one.tif'), writeTiff(pixels, { height: 3, width: 1, bands: 2 }, [nodata]));
    const image = async (mode: 'corrected' | 'as-published') =>
      (await (await openDataset(hiding, root, { mode })).read('train', 'one')).images.optical!;
    expect((await image('corrected')).valid).toEqual(Uint8Array.of(0, 1, 1, 0, 1, 1));
    expect((await image('as-published')).valid).toEqual(Uint8Array.of(1, 1, 1, 0, 1, 1));
    expect((await image('corrected')).data).toEqual(pixels);
  });
});

describe('a dataset of one’s own', () => {
  it('is refused with the member that is wrong', () => {
    const wrong = { task: 'segmentation' as const, modalities: { optical: { bands: [] } }, classes: ['a'] };
    expect(() => ownManifest('mine', wrong)).toThrow(
      expect.objectContaining({
        code: 'MANIFEST_INVALID',
        message: expect.stringContaining('modalities.optical.bands'),
      }),
    );
  });

  it('of images and label maps in folders is a manifest alone', async () => {
    const root = tempFolder();
    for (const folder of ['train/images', 'train/labels', 'validate/images', 'validate/labels'])
      mkdirSync(path.join(root, folder), { recursive: true });
    const png = (bandCount: number): Uint8Array =>
      encodePng({
        data: Uint8Array.from({ length: 6 * bandCount }, (_, i) => i % 2),
        height: 2,
        width: 3,
        bandCount,
      });
    for (const name of ['b.png', 'a.png']) {
      writeFileSync(path.join(root, 'train/images', name), png(3));
      writeFileSync(path.join(root, 'train/labels', name), png(1));
    }
    writeFileSync(path.join(root, 'validate/images/c.png'), png(3));
    const mine = defineDataset('mine', {
      manifest: {
        task: 'segmentation',
        modalities: { optical: { bands: ['red', 'green', 'blue'] } },
        classes: ['no', 'yes'],
        splits: ['train', 'val'],
        pairs: { images: '{split}/images', masks: '{split}/labels', splitFolders: { val: 'validate' } },
      },
    });
    const dataset = await openDataset(mine, root);
    const [first, second] = await dataset.entries('train');
    expect([first!.id, second!.id]).toEqual(['a.png', 'b.png']);
    const { images, target } = await dataset.read('train', first!);
    expect(images.optical).toMatchObject({ height: 2, width: 3, bands: ['red', 'green', 'blue'] });
    expect([...(target as TargetOf<'mask'>).labels.data]).toEqual([0, 1, 0, 1, 0, 1]);
    await expect(dataset.entries('val')).rejects.toMatchObject({ code: 'SPLIT_FILES' });
  });
});
