import { InputError } from '../../errors.js';
import { placeIn } from '../../io/format-error.js';
import { plainNumbers, type NumericArray } from '../../io/numeric-array.js';
import type { RasterArray } from '../../io/raster.js';
import type { BandManifest, ModalityManifest } from '../../manifests/dataset-manifest.js';
import type { DatasetIo } from '../dataset-io.js';
import { joinBands, sampleImage, stackTimes } from '../image.js';
import type { SampleImage, StoredType } from '../sample.js';
import { missing } from './pickled.js';
import type { SampleAttributes } from './sample-attributes.js';
import type { SampleFile } from './sample-file.js';

/** An array's key: the band's name, with its date behind it where it has one. */
export interface ArrayKey {
  readonly key: string;
  readonly name: string;
  readonly date: string | null;
}

export function parseKey(key: string): ArrayKey {
  const [, name, date] = /^(.*?)(?:_(\d{4}-\d{2}-\d{2}))?$/s.exec(key)!;
  return { key, name: name!, date: date ?? null };
}

/** Keys of a sample's arrays in their logical order; an early build lacks it and has them in the order of the file. */
export function keysOf(file: SampleFile, { order }: SampleAttributes): readonly ArrayKey[] {
  const keys = order ?? file.keys;
  const lost = keys.find((key) => !file.keys.includes(key));
  if (lost !== undefined) {
    throw missing(
      `array "${lost}"`,
      file.where,
      `Its list of arrays names it, and it has ${quote(file.keys)}.`,
    );
  }
  return keys.map(parseKey);
}

/** The target's array: by the beginning of its name, which may carry a date; undefined for classification. */
export const labelKey = (keys: readonly ArrayKey[]): ArrayKey | undefined =>
  keys.find(({ name }) => name.toLowerCase().startsWith('label'));

/**
 * Images by modality, each band found by the name that the manifest says is stored. Several dates of the same bands
 * become time steps.
 * @throws InputError SAMPLE_INCOMPLETE for a band or a date that is not there, IMAGE_SIZE
 */
export function readImages(
  file: SampleFile,
  attributes: SampleAttributes,
  io: DatasetIo,
): Record<string, SampleImage> {
  const keys = keysOf(file, attributes);
  const images: Record<string, SampleImage> = {};
  for (const [name, modality] of Object.entries(io.manifest.modalities)) {
    const names = [...new Set(modality.bands.map(({ stored }) => stored))];
    const own = keys.filter((key) => names.includes(key.name));
    const dates = [...new Set(own.map(({ date }) => date))].sort();
    const steps: SampleImage[] = [];
    for (const date of dates.length > 0 ? dates : [null]) {
      const parts: SampleImage[] = [];
      for (const stored of names) {
        const key = own.find((candidate) => candidate.name === stored && candidate.date === date);
        if (!key) throw missingBand(stored, date, keys, file.where);
        parts.push(readBand(file, key, modality, attributes));
      }
      steps.push(joinBands(parts, file.where));
    }
    images[name] = steps.length === 1 ? steps[0]! : stackTimes(steps, file.where);
  }
  return images;
}

function readBand(
  file: SampleFile,
  key: ArrayKey,
  modality: ModalityManifest,
  attributes: SampleAttributes,
): SampleImage {
  const bands = modality.bands.filter(({ stored }) => stored === key.name);
  const where = placeIn(file.where, key.key);
  const array = file.array(key.key);
  const raster = toRaster(array, where);
  checkChannels(raster, bands, where);
  const storedType = storedTypeOf(array);
  const record = attributes.arrays.get(key.key);
  return sampleImage(
    {
      ...raster,
      bands: bands.map(({ id }) => id),
      storedType,
      dates: [record?.date ?? key.date],
      crs: record?.crs ?? null,
      transform: record?.transform ?? null,
      invalidValues: modality.invalidValues,
      sources: bands.map(() => ({ key: key.key, storedType })),
    },
    where,
  );
}

/** [height, width] or [height, width, channel]. @throws InputError IMAGE_SIZE for another number of axes */
export function toRaster(array: NumericArray, where: string): RasterArray {
  const { shape } = array;
  const [height, width, bandCount = 1] = shape;
  if (height === undefined || width === undefined || shape.length > 3) {
    throw new InputError('IMAGE_SIZE', `The array has ${shape.length} axes (${shape.join(' × ')}).`, {
      where,
      hint: 'A band has two, height and width, or three with its channels: the file is of another release.',
    });
  }
  return { data: plainNumbers(array.data, where), height, width, bandCount };
}

function checkChannels({ bandCount }: RasterArray, bands: readonly BandManifest[], where: string): void {
  if (bandCount === bands.length) return;
  throw new InputError('IMAGE_SIZE', `The array has ${bandCount} channels, and ${bands.length} are wanted.`, {
    where,
    hint: 'The file is of another release, or the manifest lists too many or too few.',
  });
}

/** Type of an array's numbers in the file. */
export const storedTypeOf = ({ type }: NumericArray): StoredType => (type === 'bool' ? 'uint8' : type);

function missingBand(
  stored: string,
  date: string | null,
  keys: readonly ArrayKey[],
  where: string,
): InputError {
  const what = `band "${stored}"${date === null ? '' : ` of ${date}`}`;
  return missing(what, where, `It has ${quote(keys.map(({ key }) => key))}.`);
}

const quote = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(', ') || 'no arrays';
