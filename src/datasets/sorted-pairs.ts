import { InputError } from '../errors.js';
import type { DatasetIo } from './dataset-io.js';

/** Image and label map of one sample, with the image's name as its id. */
export interface Pair {
  readonly id: string;
  readonly image: string;
  readonly mask: string;
}

export interface PairFolders {
  readonly images: string;
  readonly masks: string;
  /** Which files of the folders count. Default: TIFF files. */
  readonly isImage?: (name: string) => boolean;
  readonly isMask?: (name: string) => boolean;
}

const isTiff = (name: string): boolean => /\.tiff?$/i.test(name);

/**
 * Images and label maps, both sorted by name and paired by place, as the reference pairs them.
 * @throws InputError SPLIT_FILES where their numbers differ or there is none
 */
export async function sortedPairs(folders: PairFolders, io: DatasetIo): Promise<Pair[]> {
  const images = (await io.list(folders.images)).filter(folders.isImage ?? isTiff);
  const masks = (await io.list(folders.masks)).filter(folders.isMask ?? isTiff);
  if (images.length === 0 || images.length !== masks.length) {
    throw new InputError(
      'SPLIT_FILES',
      `There are ${images.length} images and ${masks.length} label maps; each image has one.`,
      {
        where: io.path(folders.images),
        hint: `Label maps lie in ${io.path(folders.masks)}: unpack the release again, or remove what is not of it.`,
      },
    );
  }
  return images.map((name, place) => ({
    id: name,
    image: `${folders.images}/${name}`,
    mask: `${folders.masks}/${masks[place]!}`,
  }));
}
