import type { Sample, SampleImage } from '../datasets/sample.js';
import { Moments } from '../datasets/statistics/moments.js';
import { InputError } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { defaultStatistics } from '../manifests/default-statistics.js';
import { badOption, type StepContext } from './step.js';

/** Numbers of one modality: of each band, or of each band at each date. */
export interface ModalityStatistics {
  /** Names of the bands that the numbers belong to, in their order. */
  readonly bands: readonly string[];
  /** [band], or [time][band]. */
  readonly mean?: BandNumbers;
  readonly std?: BandNumbers;
  readonly min?: BandNumbers;
  readonly max?: BandNumbers;
}

export type BandNumbers = readonly (number | null)[] | readonly (readonly (number | null)[])[];

/** By modality. */
export type StatisticsTable = Readonly<Record<string, ModalityStatistics>>;

export interface StatisticsOptions {
  /** Default: those of the dataset's manifest. */
  readonly statistics?: StatisticsTable;
  /** Source of the manifest's statistics, as `data info` shows it. Default: the first that nothing is said against. */
  readonly source?: string;
}

export type Quantity = 'mean' | 'std' | 'min' | 'max';

/** One number a band and date: [time][band], or one list for all dates. */
export type BandLookup = (time: number, band: number) => number;

/**
 * Numbers of the bands of an image, found by name. Bands that no file has are given NaN: nobody asks for them.
 * @throws InputError STATISTICS_MISSING naming modality and band
 */
export function bandNumbers(
  image: SampleImage,
  modality: string,
  quantity: Quantity,
  options: StatisticsOptions,
  context: StepContext,
): BandLookup {
  const table = options.statistics
    ? options.statistics[modality]
    : manifestStatistics(context, modality, quantity, options.source);
  if (!table) throw missing(context, modality, quantity);
  const { bands: known } = table;
  const numbers = table[quantity];
  if (!numbers) throw missing(context, modality, quantity);
  const lists = (Array.isArray(numbers[0]) ? numbers : [numbers]) as (readonly (number | null)[])[];
  if (
    lists.some((list) => list.length !== known.length) ||
    (lists.length > 1 && lists.length !== image.timeCount)
  )
    throw badOption(
      'statistics',
      `${modality}.${quantity}`,
      lists.map(({ length }) => length),
      form(known, image),
    );
  const rows = lists.map((list) =>
    image.bands.map((band) => {
      if (image.filledBands?.includes(band)) return Number.NaN;
      const value = list[known.indexOf(band)] ?? null;
      if (value === null) throw missing(context, modality, quantity, band);
      return value;
    }),
  );
  return (time, band) => (rows[time] ?? rows[0]!)[band]!;
}

const form = (bands: readonly string[], { timeCount }: SampleImage): string =>
  `one number a band (${bands.length}), or one such list a date (${timeCount})`;

function missing({ dataset }: StepContext, modality: string, quantity: Quantity, band?: string): InputError {
  const what = band === undefined ? `of ${modality}` : `of band ${band} of ${modality}`;
  return new InputError('STATISTICS_MISSING', `There is no ${quantity} ${what} to normalise by.`, {
    where: `dataset ${dataset}`,
    hint: 'Measure them on the train split, await measureStatistics(dataset.samples("train")), and give them as statistics.',
  });
}

/** Statistics of a manifest's modality that have this quantity; with the fault `band-names`, those that the reference takes. */
function manifestStatistics(
  context: StepContext,
  modality: string,
  quantity: Quantity,
  source: string | undefined,
): ModalityStatistics | undefined {
  const { manifest } = context;
  const known = manifest?.modalities[modality];
  if (!known) return undefined;
  const found = defaultStatistics(known.statistics, quantity, source);
  if (!found && source !== undefined)
    throw badOption('statistics', 'source', source, known.statistics.map((entry) => entry.source).join(', '));
  if (!found) return undefined;
  const isPublished = context.isOn('band-names') && found.asPublished !== null;
  const { mean, std } = isPublished ? found.asPublished : found;
  const { min, max } = found;
  return {
    bands: known.bands.map(({ id }) => id),
    ...(mean && { mean }),
    ...(std && { std }),
    ...(min && { min }),
    ...(max && { max }),
  };
}

export interface MeasuredStatistics {
  /** By modality: mean, spread (divided by the count), least and greatest of each band; null where no pixel is valid. */
  readonly images: StatisticsTable;
  /** Of a regression's target; null for other tasks. */
  readonly target: { readonly mean: number; readonly std: number } | null;
}

/**
 * Statistics of samples, e.g. of the train split: `await measureStatistics(dataset.samples('train'))`. Invalid pixels, NaN
 * and infinite numbers are left out.
 */
export async function measureStatistics(
  samples: AsyncIterable<Sample> | Iterable<Sample>,
): Promise<MeasuredStatistics> {
  const sums = new Map<string, { bands: readonly string[]; moments: readonly Moments[] }>();
  const target = new Moments();
  for await (const sample of samples) {
    for (const [name, image] of Object.entries(sample.images)) {
      const entry = sums.get(name) ?? { bands: image.bands, moments: image.bands.map(() => new Moments()) };
      sums.set(name, entry);
      for (const [band, own] of entry.moments.entries())
        own.add(image.data, image.valid, band, image.bands.length);
    }
    if (sample.target.kind === 'values') target.add(sample.target.values, sample.target.valid);
  }
  const images = [...sums].map(([name, { bands, moments }]) => {
    const of = (number: (own: Moments) => number): (number | null)[] =>
      moments.map((own) => (own.count === 0 ? null : number(own)));
    const numbers = {
      mean: of(({ mean }) => mean),
      std: of(({ spread }) => spread),
      min: of(({ min }) => min),
      max: of(({ max }) => max),
    };
    return [name, { bands, ...numbers }] as const;
  });
  return {
    images: Object.fromEntries(images),
    target: target.count === 0 ? null : { mean: target.mean, std: target.spread },
  };
}

/** Statistics of a manifest by source, to look at or to change. */
export function statisticsOf(manifest: DatasetManifest, source?: string): StatisticsTable {
  const entries = Object.entries(manifest.modalities).flatMap(([name, { bands, statistics }]) => {
    const found = defaultStatistics(statistics, undefined, source);
    if (!found) return [];
    const { mean, std, min, max } = found;
    const numbers = { ...(mean && { mean }), ...(std && { std }), ...(min && { min }), ...(max && { max }) };
    return [[name, { bands: bands.map(({ id }) => id), ...numbers }] as const];
  });
  return Object.fromEntries(entries);
}
