import { cellSignal } from '../../display/kernel-link.js';
import { showAs } from '../../display/showable.js';
import type { Dataset } from '../dataset.js';
import type { Mode } from '../faults.js';
import type { SampleImage } from '../sample.js';
import { BandTotals, type BandSummary } from './band-totals.js';
import { LabelTotals, type ClassCount } from './label-totals.js';
import { statisticsBundle } from './statistics-sheet.js';
import { spreadEntries, walkSamples, type DamagedSample, type SampleRange } from './walk-samples.js';

/** Samples that are read unless a caller says otherwise. */
export const STATISTICS_LIMIT = 500;

export interface DatasetStatisticsOptions extends SampleRange {
  /** Default: `train`, or the first split. */
  readonly split?: string;
}

/** Numbers of a split, measured. */
export interface DatasetStatistics {
  readonly dataset: string;
  readonly split: string;
  readonly mode: Mode;
  readonly faults: Readonly<Record<string, boolean>>;
  /** Samples of the split, those that were read, and those that could not be. */
  readonly samples: {
    readonly listed: number;
    readonly read: number;
    readonly damaged: readonly DamagedSample[];
  };
  /** Over stored values and all dates, by modality in the manifest's order. */
  readonly bands: Readonly<Record<string, readonly BandSummary[]>>;
  /** Empty for a regression. */
  readonly classes: readonly ClassCount[];
  /** What `count` of a class counts. */
  readonly counted: 'pixels' | 'samples' | 'objects';
  /** Share of pixels without a label, 0 … 1. */
  readonly unlabelledShare: number;
  /** Of the target of a regression. */
  readonly values: BandSummary | null;
  /** Members of a manifest, as they stand in its file: for a dataset of one's own, or a manifest without numbers. */
  readonly manifest: {
    readonly modalities: Readonly<
      Record<
        string,
        {
          readonly statistics: readonly [
            {
              readonly source: string;
              readonly mean: readonly (number | null)[];
              readonly std: readonly (number | null)[];
              readonly min: readonly (number | null)[];
              readonly max: readonly (number | null)[];
              readonly percentiles: Readonly<Record<string, readonly (number | null)[]>>;
            },
          ];
        }
      >
    >;
    readonly classes: readonly { readonly name: string; readonly share: number | null }[];
  };
}

/**
 * Measures a split: mean, spread, extremes and percentiles of every band over the pixels that count, its share of pixels
 * that do not, and how often each class occurs. One sample is held at a time, and memory stays the same however many
 * there are.
 * @param dataset an open one: its mode and faults apply. Default limit: 500 samples, spread evenly over the split
 * @throws UsageError SPLIT_UNKNOWN, OPTION_VALUE; StoppedError; what the dataset's `entries` throws. A sample that cannot be read is listed
 */
export async function datasetStatistics(
  dataset: Dataset,
  options: DatasetStatisticsOptions = {},
): Promise<DatasetStatistics> {
  const signal = cellSignal(options.signal);
  const { manifest, mode, faults } = dataset;
  const split = options.split ?? defaultSplit(dataset);
  const listed = await dataset.entries(split);
  const entries = spreadEntries(listed, options.limit ?? STATISTICS_LIMIT);
  const totals = new ImageTotals(true);
  const labels = new LabelTotals(manifest, true);
  const damaged: DamagedSample[] = [];
  for await (const step of walkSamples(dataset, split, entries, { ...options, ...(signal && { signal }) })) {
    if (step.damaged) {
      damaged.push(step.damaged);
      continue;
    }
    for (const [modality, image] of Object.entries(step.sample.images)) totals.add(modality, image);
    labels.add(step.sample.target);
  }
  options.onProgress?.(1, split);
  const read = entries.length - damaged.length;
  const bands = totals.summaries(Object.keys(manifest.modalities));
  const classes = labels.classes();
  const found = {
    dataset: manifest.id,
    split,
    mode,
    faults,
    samples: { listed: listed.length, read, damaged },
    bands,
    classes,
    counted: labels.counted,
    unlabelledShare: labels.unlabelledShare,
    values: labels.valueSummary(),
    manifest: manifestMembers(
      bands,
      classes,
      `measured over ${read} of ${listed.length} samples of ${split}`,
    ),
  };
  return showAs<DatasetStatistics>(found, { bundle: statisticsBundle });
}

export const defaultSplit = ({ manifest }: Dataset): string =>
  Object.hasOwn(manifest.splits, 'train') ? 'train' : Object.keys(manifest.splits)[0]!;

function manifestMembers(
  bands: DatasetStatistics['bands'],
  classes: readonly ClassCount[],
  source: string,
): DatasetStatistics['manifest'] {
  const modalities = Object.entries(bands).map(([modality, own]) => {
    const of = (key: 'mean' | 'std' | 'min' | 'max'): (number | null)[] => own.map((band) => band[key]);
    const percentile = (name: '1' | '2' | '98' | '99'): (number | null)[] =>
      own.map(({ percentiles }) => percentiles?.[name] ?? null);
    const percentiles = {
      '1': percentile('1'),
      '2': percentile('2'),
      '98': percentile('98'),
      '99': percentile('99'),
    };
    const statistics = [
      { source, mean: of('mean'), std: of('std'), min: of('min'), max: of('max'), percentiles },
    ] as const;
    return [modality, { statistics }] as const;
  });
  return {
    modalities: Object.fromEntries(modalities),
    classes: classes.map(({ name, share }) => ({ name, share })),
  };
}

/** Band totals of all modalities of a dataset. */
export class ImageTotals {
  private readonly modalities = new Map<
    string,
    { readonly bands: readonly string[]; readonly totals: BandTotals[] }
  >();

  constructor(private readonly withQuantiles: boolean) {}

  add(modality: string, { data, valid, bands, storedType, sources }: SampleImage): void {
    let own = this.modalities.get(modality);
    if (!own) {
      const typeOf = (band: number): SampleImage['storedType'] =>
        sources?.length === bands.length ? sources[band]!.storedType : storedType;
      own = { bands, totals: bands.map((_, band) => new BandTotals(typeOf(band), this.withQuantiles)) };
      this.modalities.set(modality, own);
    }
    for (let band = 0; band < Math.min(bands.length, own.totals.length); band++)
      own.totals[band]!.add(data, valid, band, bands.length);
  }

  /** By band of the modality, in the order of the images. */
  of(modality: string): readonly { readonly band: string; readonly totals: BandTotals }[] {
    const own = this.modalities.get(modality);
    return own ? own.bands.map((band, place) => ({ band, totals: own.totals[place]! })) : [];
  }

  /** Modalities of which an image was added, in the given order. */
  summaries(order: readonly string[]): Record<string, BandSummary[]> {
    const present = order.filter((modality) => this.modalities.has(modality));
    return Object.fromEntries(
      present.map((modality) => [
        modality,
        this.of(modality).map(({ band, totals }) => totals.summary(band)),
      ]),
    );
  }
}
