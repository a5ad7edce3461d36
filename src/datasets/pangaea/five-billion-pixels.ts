import { defineDataset } from '../dataset.js';
import { sortedPairs } from './sorted-pairs.js';

/**
 * Five Billion Pixels: land cover, 520 × 520 px, 4 Gaofen-2 bands, 4 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/five-billion-pixels.json
 */
export const fiveBillionPixels = defineDataset('five-billion-pixels', {
  /** A folder a split; images and labels are sorted and paired by place. */
  entries: (split, io) => sortedPairs({ images: `${split}/images`, masks: `${split}/labels` }, io),

  /** optical [time = 1, height, width, band = 4], 8-bit numbers; target [height, width], 0 = no label. */
  async read({ image, mask }, io) {
    return { images: { optical: await io.raster(image) }, target: await io.labels(mask) };
  },
});
