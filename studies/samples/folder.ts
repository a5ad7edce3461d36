import path from 'node:path';
import type { PixelArray, SampleImage } from 'gondwana';

/** Folder of one of the samples, below the one that GONDWANA_SAMPLES names. */
export const sampleFolder = (name: string): string =>
  path.resolve(process.env.GONDWANA_SAMPLES ?? 'samples', name);

/** An image of numbers in memory, [time, height, width, band]; every value counts. */
export function imageInMemory(
  data: PixelArray,
  { height, width, bands, dates }: Pick<SampleImage, 'height' | 'width' | 'bands' | 'dates'>,
  place: Pick<SampleImage, 'crs' | 'transform'> = { crs: null, transform: null },
): SampleImage {
  const shape = { data, timeCount: dates.length, height, width, bands, dates };
  return { ...shape, ...place, valid: null, storedType: 'float32', nodata: null };
}

/** What `make` gives, made once for a folder. */
export function once<T>(make: (folder: string) => Promise<T>): (folder: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (folder) => {
    const known = made.get(folder) ?? make(folder);
    made.set(folder, known);
    return known;
  };
}
