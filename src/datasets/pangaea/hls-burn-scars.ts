import { defineDataset } from '../dataset.js';
import { sortedPairs } from '../sorted-pairs.js';
import { trainTestSplit } from '../splits/train-test-split.js';

const isImage = (name: string): boolean => name.endsWith('_merged.tif');
const isMask = (name: string): boolean => name.endsWith('mask.tif');

/**
 * HLS Burn Scars: burned-area segmentation, 512 × 512 px, 6 HLS bands, 30 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/hls-burn-scars.json
 */
export const hlsBurnScars = defineDataset('hls-burn-scars', {
  /** Images and masks are sorted by path and paired by place; `val` is cut from the training folder. */
  async entries(split, io) {
    const folder = split === 'test' ? 'validation' : 'training';
    const pairs = await sortedPairs({ images: folder, masks: folder, isImage, isMask }, io);
    if (split === 'test') return pairs;
    const { train, test } = trainTestSplit(pairs.length, 0.1, 23);
    return [...(split === 'val' ? test : train)].map((place) => pairs[place]!);
  },

  /** image [time = 1, height, width, band = 6], reflectance 0 … 1; target [height, width], −1 = no data. */
  async read({ image, mask }, io) {
    return { images: { optical: await io.raster(image) }, target: await io.labels(mask) };
  },
});
