import type { PairLayout } from '../manifests/dataset-manifest.js';
import type { DatasetDefinition } from './dataset.js';
import { sortedPairs, type Pair } from './sorted-pairs.js';

/**
 * The code of a dataset that a manifest alone describes: an image and a label map a sample, in the folders of
 * `layout.pairs`. image [time = 1, height, width, band] in the numbers of the files; target [height, width] by the label
 * rules.
 */
export const pairedRasters = (pairs: PairLayout): Pick<DatasetDefinition<Pair>, 'entries' | 'read'> => ({
  entries: (split, io) => {
    const folder = (pattern: string): string =>
      pattern.replaceAll('{split}', pairs.splitFolders?.[split] ?? split);
    return sortedPairs(
      {
        images: folder(pairs.images),
        masks: folder(pairs.masks),
        isImage: endsWith(pairs.imageEnding),
        isMask: endsWith(pairs.maskEnding),
      },
      io,
    );
  },
  async read({ image, mask }, io) {
    const [modality] = Object.keys(io.manifest.modalities);
    return { images: { [modality!]: await io.raster(image, modality) }, target: await io.labels(mask) };
  },
});

const endsWith =
  (ending: string | undefined) =>
  (name: string): boolean =>
    ending === undefined ? /\.(tiff?|png)$/i.test(name) : name.endsWith(ending);
