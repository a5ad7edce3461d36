import { decode } from 'fast-png';
import { expect, test } from 'vitest';
import { colorBands, datasetBundle, showSample } from '../../src/datasets/dataset-sheets.js';
import { loadDataset, type LoadedSample } from '../../src/datasets/loaded-dataset.js';
import { bundleOf } from '../../src/display/bundle.js';
import { classColors } from '../../src/display/palette.js';
import { readSceneDatasetManifest } from '../../src/manifests/scene-manifest.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';

const manifest = readSceneDatasetManifest('neon-crowns');

/** 4 rows × 6 columns; the first two rows are crown. */
const sample = (split: string): LoadedSample => ({
  id: `a/${split}`,
  split,
  place: 'A',
  image: {
    data: Uint8Array.from({ length: 72 }, (_, i) => [200, 100, 50][i % 3]!),
    height: 4,
    width: 6,
    bandCount: 3,
  },
  target: { data: Uint8Array.from({ length: 24 }, (_, i) => (i < 12 ? 1 : 0)), height: 4, width: 6 },
});

test('a dataset shows id, bands, classes, licence, and its splits with counted samples and shares of classes', async () => {
  const samples = [sample('train'), sample('train'), sample('test')];
  const text = datasetBundle({ manifest, dataHash: '', samples })['text/plain'] as string;
  for (const word of ['neon-crowns', 'red, green, blue', 'background, crown', 'MIT'])
    expect(text).toContain(word);
  expect(text).toMatch(/split\s+samples\s+pixels\s+background %\s+crown %/);
  expect(text).toMatch(/train\s+2\s+48\s+50\s+50\nvalidation\s+0\s+0\s+–\s+–\ntest\s+1\s+24\s+50\s+50/);
});

test('a sample shows image and target side by side with the colours of the classes, a list of them a table', async () => {
  const shown = sample('train');
  showSample(shown, manifest);
  const bundle = await bundleOf(shown);
  expect(Object.keys(bundle).sort()).toEqual(['image/png', 'text/html', 'text/plain']);
  expect(bundle['text/plain']).toContain('classes: background 50.0 %, crown 50.0 %');
  expect(bundle['text/html']).toContain(`rgb(${classColors(manifest.classes)[1]!.join(',')})`);
  const png = decode(Buffer.from(bundle['image/png'] as string, 'base64'));
  const at = (row: number, column: number): number[] => [
    ...png.data.subarray((row * png.width + column) * 4, (row * png.width + column) * 4 + 4),
  ];
  expect(at(0, 0)).toEqual([200, 100, 50, 255]);
  expect(at(0, png.width - 1)).toEqual([...classColors(manifest.classes)[1]!, 255]);
  expect(at(png.height - 1, png.width - 1)).toEqual([...classColors(manifest.classes)[0]!, 255]);
  expect((await bundleOf([shown]))['text/plain']).toMatch(/^id\s+split\s+place\s+height\s+width\s+bands\n/);
  expect((await bundleOf(shown.image))['text/plain']).toMatch(/Image of a\/train[\s\S]*\nred\s+200/);
  expect((await bundleOf(shown.target))['text/plain']).toMatch(/\n1\s+crown\s+12\s+50/);
});

test('the bands of the true colours are found by their wavelengths', () => {
  expect(colorBands({ ...manifest, bands: ['blue', 'green', 'red'] })).toEqual([2, 1, 0]);
  expect(colorBands({ ...manifest, bands: ['x', 'y', 'z', 'w'] })).toEqual([0, 1, 2]);
  expect(colorBands({ ...manifest, bands: ['radar'] })).toEqual([0]);
});

test('reading a dataset stops with the cell', async () => {
  const kernel = standInKernel();
  try {
    kernel.stop();
    await expect(loadDataset('neon-crowns')).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(loadDataset('no-such')).rejects.toMatchObject({ code: 'DATASET_UNKNOWN' });
  } finally {
    endStandInKernel();
  }
});
