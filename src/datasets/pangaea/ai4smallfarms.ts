import { defineDataset } from '../dataset.js';
import { sortedPairs, type Pair } from '../sorted-pairs.js';

/**
 * AI4SmallFarms: crop fields of Vietnam and Cambodia, about 500 × 500 px, 4 Sentinel-2 bands, 10 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/ai4smallfarms.json
 */
export const ai4smallfarms = defineDataset<Tile>('ai4smallfarms', {
  /** A folder a split, `val` also under the release's name `validate`; images and masks are sorted and paired by place. */
  async entries(split, io) {
    const root = 'sentinel-2-asia';
    const isRenamed = split !== 'val' || io.exists(`${root}/val`);
    const folder = `${root}/${isRenamed ? split : 'validate'}`;
    const pairs = await sortedPairs({ images: `${folder}/images`, masks: `${folder}/masks` }, io);
    return pairs.map((pair) => ({ ...pair, split }));
  },

  /** With the fault `replicated` every tile comes twice, in training and in validation. */
  epoch: (entries, io) =>
    io.isOn('replicated')
      ? entries.flatMap((entry) => (entry.split === 'test' ? [entry] : [entry, entry]))
      : entries,

  /** optical [time = 1, height, width, band = 4], reflectance × 10 000; target [height, width], 1 = stored as 255. */
  async read({ image, mask }, io) {
    return { images: { optical: await io.raster(image) }, target: await io.labels(mask) };
  },
});

interface Tile extends Pair {
  readonly split: string;
}
