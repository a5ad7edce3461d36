import { InputError } from '../../errors.js';
import type { PixelArray, RasterArray } from '../../io/raster.js';
import type { ModalityManifest } from '../../manifests/dataset-manifest.js';
import { imageOfArray } from '../arrays.js';
import type { DatasetIo } from '../dataset-io.js';
import { sampleImage, stackTimes } from '../image.js';
import type { SampleImage } from '../sample.js';
import type { Row } from './container.js';
import { readArray, readGrid } from './row-readers.js';

/** Which rows of a sample hold a modality, in order of time; none: the sample lacks it. */
export type RowsOf = (modality: string, rows: readonly Row[]) => readonly Row[];

/**
 * Images of a sample, by modality; one whose rows are not there is left out. Modalities that share a row take its
 * channels one after the other, in the manifest's order; channels beyond theirs are left.
 * @throws InputError IMAGE_SIZE, and what reading a row throws
 */
export async function readImages(
  rows: readonly Row[],
  io: DatasetIo,
  rowsOf: RowsOf,
): Promise<Record<string, SampleImage>> {
  const images: Record<string, SampleImage> = {};
  for (const [name, modality] of Object.entries(io.manifest.modalities)) {
    const own = rowsOf(name, rows);
    if (own.length === 0) continue;
    const first = firstChannel(name, own[0]!, rows, rowsOf, io);
    const steps: SampleImage[] = [];
    for (const row of own) steps.push(await readStep(row, modality, first, io));
    const image = steps.length === 1 ? steps[0]! : stackTimes(steps, own[0]!.where);
    images[name] = own.length === 1 ? image : { ...image, steps: own.map(({ id }) => id) };
  }
  return images;
}

/** Channels of the same row that belong to modalities before this one. */
function firstChannel(name: string, row: Row, rows: readonly Row[], rowsOf: RowsOf, io: DatasetIo): number {
  let first = 0;
  for (const [other, { bands }] of Object.entries(io.manifest.modalities)) {
    if (other === name) break;
    if (rowsOf(other, rows).includes(row)) first += bands.length;
  }
  return first;
}

async function readStep(
  row: Row,
  modality: ModalityManifest,
  first: number,
  io: DatasetIo,
): Promise<SampleImage> {
  io.signal?.throwIfAborted();
  const bands = modality.bands.map(({ id }) => id);
  const { invalidValues } = modality;
  const { where } = row;
  if (row.format === 'HDF5') {
    const array = await readArray(row);
    const dates = datesOf(row.columns['dates'], array.shape[0] ?? 0);
    return imageOfArray(array, { axes: 'tbyx', bands, dates, invalidValues, where });
  }
  const grid = await readGrid(row, io.mode === 'corrected');
  const data = takeChannels(grid, first, bands, where);
  const valid = grid.valid && takeChannels({ ...grid, data: grid.valid }, first, bands, where);
  const dates = [dateOf(row.columns['stac:time_start'])];
  const { height, width, crs, transform, nodata, storedType } = grid;
  return sampleImage(
    {
      data,
      valid: valid as Uint8Array | null,
      height,
      width,
      bands,
      invalidValues,
      dates,
      crs,
      transform,
      nodata,
      storedType,
    },
    where,
  );
}

/** @throws InputError IMAGE_SIZE where the raster has too few bands */
function takeChannels(
  { data, height, width, bandCount }: RasterArray,
  first: number,
  bands: readonly string[],
  where: string,
): PixelArray {
  const wanted = bands.length;
  if (first + wanted > bandCount) {
    throw new InputError(
      'IMAGE_SIZE',
      `The raster has ${bandCount} bands, and ${first + wanted} are wanted.`,
      {
        where,
        hint: `The manifest lists ${bands.join(', ')}${first > 0 ? ` from band ${first + 1} on` : ''}: the file is of another version of the release.`,
      },
    );
  }
  if (first === 0 && wanted === bandCount) return data;
  const pixels = height * width;
  const taken = new (data.constructor as new (length: number) => PixelArray)(pixels * wanted);
  for (let pixel = 0, to = 0; pixel < pixels; pixel++) {
    const from = pixel * bandCount + first;
    for (let band = 0; band < wanted; band++) taken[to++] = data[from + band]!;
  }
  return taken;
}

/** `YYYY-MM-DD` of seconds since 1970; null where there are none, or a bare year stands in their place. */
export function dateOf(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null;
  if (Number.isInteger(seconds) && seconds >= 1900 && seconds < 2200) return null;
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** `YYYY-MM-DD` of numbers such as 20180917; null for each where their count is another. */
export function datesOf(stored: unknown, count: number): (string | null)[] {
  const list = Array.isArray(stored) && stored.length === count ? (stored as readonly unknown[]) : [];
  return Array.from({ length: count }, (_, step) => {
    const text = String(list[step] ?? '');
    return /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : null;
  });
}
