import { Hdf5File } from '../../io/hdf5/hdf5-file.js';
import type { NumericArray } from '../../io/numeric-array.js';

/** An open sample: arrays side by side in the root of one HDF5 file. Close it after use. */
export interface SampleFile {
  readonly where: string;
  /** Names of the arrays, in the order of the file: by code units. */
  readonly keys: readonly string[];
  /** A text attribute of the root; undefined where there is none. */
  readonly attribute: (name: string) => string | undefined;
  /** @throws InputError UNSUPPORTED, CORRUPT_DATA, TOO_LARGE, TRUNCATED */
  readonly array: (key: string) => NumericArray;
  readonly close: () => void;
}

/** @throws InputError EMPTY_FILE, NOT_HDF5, TRUNCATED, BAD_HEADER, UNSUPPORTED, FILE_MISSING, NO_PERMISSION, NOT_A_FILE */
export async function openSampleFile(path: string): Promise<SampleFile> {
  const file = await Hdf5File.open(path);
  const inRoot = (entry: string): boolean => entry.lastIndexOf('/') === 0;
  try {
    const keys = file.datasetPaths.filter(inRoot).map((entry) => entry.slice(1));
    return {
      where: file.where,
      keys: keys.sort(),
      attribute(name) {
        const value = file.attribute('/', name);
        return typeof value === 'string' ? value : undefined;
      },
      array: (key) => file.read(`/${key}`),
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}
