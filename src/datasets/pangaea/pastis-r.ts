import { InputError } from '../../errors.js';
import { createRandom } from '../../random.js';
import { imageOfArray, labelsOfArray } from '../arrays.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { evenPlaces } from '../even-places.js';
import type { SampleImage } from '../sample.js';

const FOLDS: Readonly<Record<string, readonly number[]>> = { train: [1, 2, 3], val: [4], test: [5] };
/** Dates of a sample as the benchmark uses it. */
const DATE_COUNT = 6;
/** Longer series are the ones that the reference shuffles. */
const SHUFFLED_BEYOND = 50;

/**
 * PASTIS-R: crop types of France, 128 × 128 px, a series of 10 Sentinel-2 bands and one of 3 Sentinel-1 bands, 10 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/pastis-r.json
 */
export const pastisR = defineDataset('pastis-r', {
  /** Fold by fold, in the order of metadata.geojson. */
  async entries(split, io) {
    const file = 'metadata.geojson';
    const { features } = (await io.json(file)) as Metadata;
    if (!Array.isArray(features)) throw malformed(io.path(file), 'it has no list "features"');
    const patches = (features as Features).map(({ properties }) => patchOf(properties ?? {}, io.path(file)));
    return (FOLDS[split] ?? []).flatMap((fold) => patches.filter((patch) => patch.fold === fold));
  },

  /**
   * optical [time, height, width, band = 10], reflectance × 10 000; sar [time, height, width, band = 3], dB, ascending
   * orbit; target [height, width], 19 = void. `selected6` of the facts are the six dates of the benchmark by place; with
   * the fault `shuffled-dates`, `drawn6` are those of a long series.
   */
  async read({ id, opticalDates, sarDates }, io) {
    const optical = await readSeries(`DATA_S2/S2_${id}.npy`, 'optical', opticalDates, io);
    const sar = await readSeries(`DATA_S1A/S1A_${id}.npy`, 'sar', sarDates, io);
    const annotation = `ANNOTATIONS/TARGET_${id}.npy`;
    const classes = labelsOfArray(await io.array(annotation), io.path(annotation), 0);
    const [opticalCount, sarCount] = [optical.timeCount, sar.timeCount];
    const drawn = io.isOn('shuffled-dates') ? drawDates(id, { s2: opticalCount, s1a: sarCount }) : {};
    return {
      images: { optical, sar },
      target: io.mapLabels(classes, io.path(annotation)),
      facts: {
        dates: {
          s2: opticalDates,
          s1a: sarDates,
          s2_days_since_20180901: opticalDates.map(daysSinceStart),
          s1a_days_since_20180901: sarDates.map(daysSinceStart),
        },
        selected6: { s2: evenPlaces(opticalCount, DATE_COUNT), s1a: evenPlaces(sarCount, DATE_COUNT) },
        ...(Object.keys(drawn).length > 0 && { drawn6: drawn }),
      },
    };
  },
});

/**
 * Dates of the series that the reference shuffles: 50 of all in random order, then six of these evenly spread. It draws
 * anew at each access; here a sample keeps its draw, so that a run can be repeated.
 */
function drawDates(id: string, counts: Readonly<Record<string, number>>): Record<string, number[]> {
  const long = Object.entries(counts).filter(([, count]) => count > SHUFFLED_BEYOND);
  return Object.fromEntries(
    long.map(([series, count]) => {
      const order = createRandom(0, `pastis-r/${id}/${series}`).permutation(count);
      return [series, evenPlaces(SHUFFLED_BEYOND, DATE_COUNT).map((place) => order[place]!)];
    }),
  );
}

async function readSeries(
  file: string,
  modality: string,
  dates: readonly number[],
  io: DatasetIo,
): Promise<SampleImage> {
  const where = io.path(file);
  const bands = io.modality(modality).bands.map((band) => band.id);
  const image = imageOfArray(await io.array(file), { axes: 'tbyx', bands, where });
  if (image.timeCount === dates.length) return { ...image, dates: dates.map(isoDate) };
  throw new InputError(
    'SERIES_DATES',
    `The series has ${image.timeCount} dates, and metadata.geojson lists ${dates.length}.`,
    { where, hint: 'Array and metadata are of different releases: restore both from one.' },
  );
}

interface Patch {
  readonly id: string;
  readonly fold: number;
  /** As stored: YYYYMMDD. */
  readonly opticalDates: readonly number[];
  readonly sarDates: readonly number[];
}

type Properties = Readonly<Record<string, unknown>>;

type Features = readonly { readonly properties?: Properties }[];

interface Metadata {
  readonly features?: Features;
}

function patchOf(properties: Properties, where: string): Patch {
  const { ID_PATCH: id, Fold: fold } = properties;
  if (typeof id !== 'number' && typeof id !== 'string') throw malformed(where, 'a feature has no ID_PATCH');
  return {
    id: String(id),
    fold: Number(fold),
    opticalDates: datesOf(properties['dates-S2'], `dates-S2 of patch ${id}`, where),
    sarDates: datesOf(properties['dates-S1A'], `dates-S1A of patch ${id}`, where),
  };
}

/** A map from place to date, which some tools have written as text. */
function datesOf(stored: unknown, what: string, where: string): number[] {
  let dates: unknown = stored;
  try {
    if (typeof dates === 'string') dates = JSON.parse(dates.replaceAll("'", '"'));
  } catch {
    throw malformed(where, `${what} cannot be read`);
  }
  if (typeof dates !== 'object' || dates === null) throw malformed(where, `it has no ${what}`);
  const places = Object.entries(dates as Properties).sort(([a], [b]) => Number(a) - Number(b));
  return places.map(([, date]) => {
    if (/^\d{8}$/.test(String(date))) return Number(date);
    throw malformed(where, `${what} holds ${JSON.stringify(date)}, which is no date YYYYMMDD`);
  });
}

const malformed = (where: string, reason: string): InputError =>
  new InputError('SPLIT_LIST', `The list of patches cannot be used: ${reason}.`, {
    where,
    hint: 'Restore metadata.geojson from the release.',
  });

const isoDate = (date: number): string => String(date).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');

/** Days since 1 September 2018. */
const daysSinceStart = (date: number): number =>
  (Date.parse(isoDate(date)) - Date.UTC(2018, 8, 1)) / 86_400_000;
