// The arrays and rasters that peer.py makes, as datasets of a plugin.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { defineDataset, sampleImage } from 'gondwana';

const CLASSES = ['one', 'two', 'three'];
const RGB = ['B4', 'B3', 'B2'];

const namesIn = (root, split, suffix) =>
  readdirSync(root)
    .filter((name) => name.startsWith(`${split}-`) && name.endsWith(suffix))
    .sort()
    .map((name) => ({ id: name.slice(0, -suffix.length) }));

const labelsOf = (root, id, side) => {
  const data = new Uint8Array(readFileSync(path.join(root, `${id}.u8`)));
  const labels = { data, height: side, width: side };
  return { kind: 'mask', labels, stored: labels };
};

const manifestWith = (bands, scale, task = 'segmentation') => ({
  task,
  modalities: {
    optical: { bands, statistics: [{ source: 'by design', ...scale }] },
  },
  classes: CLASSES,
  splits: ['train', 'val', 'test'],
});

/** @param truth of a name; default its label map */
const arrays = (id, { side, timeCount = 1, task, truth = labelsOf }) =>
  defineDataset(id, {
    manifest: manifestWith(RGB, { mean: [0, 0, 0], std: [1, 1, 1] }, task),
    entries: (split, { root }) => namesIn(root, split, '.f32'),
    read({ id: name }, { root }) {
      const { buffer } = new Uint8Array(readFileSync(path.join(root, `${name}.f32`)));
      const data = new Float32Array(buffer);
      const optical = sampleImage({ data, height: side, width: side, bands: RGB, timeCount });
      return { images: { optical }, target: truth(root, name, side) };
    },
  });

const BANDS = ['B02', 'B03', 'B04', 'B8A', 'B11', 'B12'];
export const tiffs = defineDataset('bench-tiffs', {
  manifest: manifestWith(BANDS, { mean: BANDS.map(() => 1500), std: BANDS.map(() => 250) }),
  entries: (split, { root }) => namesIn(root, split, '.tif'),
  read: async ({ id }, io) => ({
    images: { optical: await io.raster(`${id}.tif`) },
    target: labelsOf(io.root, id, 512),
  }),
});

/** The class of the upper left pixel. */
const sceneOf = (root, name, side) => ({ kind: 'class', label: labelsOf(root, name, side).labels.data[0] });

export const series = arrays('bench-series', { side: 64, timeCount: 6 });
export const singles = arrays('bench-singles', { side: 224 });
export const scenes = arrays('bench-scenes', { side: 224, task: 'classification', truth: sceneOf });
