import { InputError } from '../../errors.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { trainTestSplit } from '../splits/train-test-split.js';

/**
 * HLS Burn Scars: burned-area segmentation, 512 × 512 px, 6 HLS bands, 30 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/hls-burn-scars.json
 */
export const hlsBurnScars = defineDataset('hls-burn-scars', {
  /** Images and masks are sorted by path and paired by place; `val` is cut from the training folder. */
  async entries(split, io) {
    const pairs = await pairsOf(split === 'test' ? 'validation' : 'training', io);
    if (split === 'test') return pairs;
    const { train, test } = trainTestSplit(pairs.length, 0.1, 23);
    return [...(split === 'val' ? test : train)].map((place) => pairs[place]!);
  },

  /** image [time = 1, height, width, band = 6], reflectance 0 … 1; target [height, width], −1 = no data. */
  async read({ image, mask }, io) {
    return { images: { optical: await io.raster(image) }, target: await io.labels(mask) };
  },
});

interface Pair {
  readonly id: string;
  readonly image: string;
  readonly mask: string;
}

async function pairsOf(folder: string, io: DatasetIo): Promise<Pair[]> {
  const names = await io.list(folder);
  const images = names.filter((name) => name.endsWith('_merged.tif'));
  const masks = names.filter((name) => name.endsWith('mask.tif'));
  if (images.length === 0 || images.length !== masks.length) {
    throw new InputError('SPLIT_FILES', `The folder has ${images.length} images and ${masks.length} masks.`, {
      where: io.path(folder),
      hint: 'Each "…_merged.tif" has a "….mask.tif" beside it: unpack the release again.',
    });
  }
  return images.map((name, place) => ({
    id: name,
    image: `${folder}/${name}`,
    mask: `${folder}/${masks[place]!}`,
  }));
}
