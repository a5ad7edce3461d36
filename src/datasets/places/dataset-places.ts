import { cellSignal } from '../../display/kernel-link.js';
import { showAs } from '../../display/showable.js';
import { sheetBundle } from '../../display/sheet.js';
import type { Dataset, Entry } from '../dataset.js';
import { spreadEntries, walkSamples, type SampleRange } from '../statistics/walk-samples.js';
import { isPlaced } from './footprint.js';
import { Projections, type Degrees } from './projections.js';

/** Samples of a split that are looked at unless a caller says otherwise. */
export const PLACES_LIMIT = 200;
/** Of those whose place stands in a table: nothing of them is read. */
const LISTED_LIMIT = 2000;

/** Where one sample lies. */
export interface SamplePlace {
  readonly sample: string;
  readonly split: string;
  /** Of its middle, degrees. */
  readonly longitude: number;
  readonly latitude: number;
}

export interface DatasetPlaces {
  readonly dataset: string;
  readonly places: readonly SamplePlace[];
  /** Samples that were looked at, and those of them without a place. */
  readonly looked: number;
  readonly without: number;
  /** Coordinate systems that are not known: samples in them have no place here. */
  readonly unknownCrs: readonly string[];
}

export interface PlacesOptions extends SampleRange {
  /** Default: all. */
  readonly split?: string;
}

/**
 * Where the samples of a dataset lie: by the tables of its containers, which are read without pixels, else by coordinate
 * system and transform of their images. Default limit: 200 samples a split, spread evenly over it; 2000 where a table says it.
 * @throws UsageError SPLIT_UNKNOWN, OPTION_VALUE; StoppedError; what the dataset's `entries` throws. A sample that cannot be read has no place
 */
export async function datasetPlaces(dataset: Dataset, options: PlacesOptions = {}): Promise<DatasetPlaces> {
  const signal = cellSignal(options.signal);
  const projections = new Projections();
  const places: SamplePlace[] = [];
  let [looked, without] = [0, 0];
  const splits = options.split === undefined ? Object.keys(dataset.manifest.splits) : [options.split];
  for (const [number, split] of splits.entries()) {
    const entries = await dataset.entries(split);
    const isListed = entries.length > 0 && (await listedPlace(entries[0]!, projections)) !== undefined;
    const chosen = spreadEntries(entries, options.limit ?? (isListed ? LISTED_LIMIT : PLACES_LIMIT));
    looked += chosen.length;
    const add = (sample: string, place: Degrees | null): void => {
      if (place) places.push({ sample, split, longitude: place[0], latitude: place[1] });
      else without++;
    };
    if (isListed) {
      for (const entry of chosen) add(entry.id, (await listedPlace(entry, projections)) ?? null);
      continue;
    }
    const onProgress = (share: number, what: string): void =>
      options.onProgress?.((number + share) / splits.length, what);
    for await (const { entry, sample } of walkSamples(dataset, split, chosen, {
      onProgress,
      ...(signal && { signal }),
    })) {
      const placed = sample && Object.values(sample.images).find(isPlaced);
      add(entry.id, placed ? await projections.middleOf(placed) : null);
    }
  }
  const found = { dataset: dataset.id, places, looked, without, unknownCrs: projections.unknown };
  return showAs<DatasetPlaces>(found, {
    bundle: ({ dataset: id, unknownCrs }) =>
      sheetBundle({
        title: `Places of ${id}`,
        facts: [
          ['samples', `${places.length} of ${looked} have a place`],
          ['coordinate systems that are not known', unknownCrs.length > 0 ? unknownCrs : undefined],
        ],
        tables: [{ rows: places }],
      }),
  });
}

/** What the table of a container says of a sample's place: longitude and latitude, else its grid, else its centre. */
async function listedPlace(entry: Entry, projections: Projections): Promise<Degrees | null | undefined> {
  const { columns } = entry as { readonly columns?: Readonly<Record<string, unknown>> };
  if (typeof columns !== 'object' || columns === null) return undefined;
  const { lon, lat } = columns;
  if (isDegree(lon, 180) && isDegree(lat, 90)) return [lon, lat];
  const [crs, grid, shape] = [
    columns['stac:crs'],
    columns['stac:geotransform'],
    columns['stac:raster_shape'],
  ];
  if (typeof crs === 'string' && isNumbers(grid, 6) && isNumbers(shape, 2)) {
    // the table has the order of GDAL: x, step, shear, y, shear, step
    const [c, a, b, f, d, e] = grid as [number, number, number, number, number, number];
    const [height, width] = shape as [number, number];
    const isGrid = !(Math.abs(a) === 1 && Math.abs(e) === 1 && c === 0);
    return isGrid ? projections.middleOf({ crs, transform: [a, b, c, d, e, f], height, width }) : null;
  }
  const [, longitude, latitude] =
    /^POINT \((-?[\d.]+) (-?[\d.]+)\)$/.exec(String(columns['stac:centroid'] ?? '')) ?? [];
  return longitude === undefined ? undefined : [Number(longitude), Number(latitude)];
}

const isDegree = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= most;

const isNumbers = (value: unknown, count: number): value is readonly number[] =>
  Array.isArray(value) &&
  value.length === count &&
  value.every((one) => typeof one === 'number' && Number.isFinite(one));
