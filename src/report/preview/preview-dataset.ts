import { cellSignal } from '../../display/kernel-link.js';
import { PNG, TEXT, withMetadata, type MimeBundle } from '../../display/mime.js';
import { showAs } from '../../display/showable.js';
import { UsageError } from '../../errors.js';
import type { Dataset, Entry } from '../../datasets/dataset.js';
import { defaultSplit } from '../../datasets/statistics/dataset-statistics.js';
import {
  spreadEntries,
  walkSamples,
  type DamagedSample,
  type SampleRange,
} from '../../datasets/statistics/walk-samples.js';
import { svgToPng } from '../svg-to-png.js';
import { compose, stacked, type Composed } from './compose.js';
import { drawSample } from './draw-sample.js';

export interface PreviewOptions extends Omit<SampleRange, 'limit'> {
  /** Default: `train`, or the first split. */
  readonly split?: string;
  /** Ids of samples of the split. Default: `count` of them, spread evenly. */
  readonly samples?: readonly string[];
  /** Default: 4. */
  readonly count?: number;
}

/** One sample, drawn. */
export interface SamplePreview {
  readonly id: string;
  readonly split: string;
  /** What it is in words: sizes, classes. */
  readonly caption: string;
  /** An SVG document that holds all its pictures. */
  readonly svg: string;
  /** The same as a PNG. @throws RunError CHART_PNG */
  readonly png: () => Uint8Array;
  /** For a page that holds several: size, and what stands inside the SVG. */
  readonly sheet: Composed;
}

/** Samples of a split, drawn. A notebook shows them as one picture. */
export interface DatasetPreview {
  readonly dataset: string;
  readonly title: string;
  readonly split: string;
  readonly samples: readonly SamplePreview[];
  readonly damaged: readonly DamagedSample[];
  /** All samples below each other. @throws RunError CHART_PNG */
  readonly png: () => Uint8Array;
}

/** Pixels of a PNG for one of the sheet. */
const SCALE = 1.5;

/**
 * Draws samples: true and false colours, radar as VV, VH and their ratio in dB, single bands, the dates of a series, and
 * the target as labels, values, boxes or outlines with a legend. Bands are stretched from their 2nd to their 98th
 * percentile over the pixels that count, all dates of a series alike; pixels without a value are hatched.
 * @throws UsageError SPLIT_UNKNOWN, SAMPLE_UNKNOWN, OPTION_VALUE; StoppedError; what the dataset's `entries` throws. A sample that cannot be read is listed
 */
export async function previewDataset(
  dataset: Dataset,
  options: PreviewOptions = {},
): Promise<DatasetPreview> {
  const signal = cellSignal(options.signal);
  const split = options.split ?? defaultSplit(dataset);
  const all = await dataset.entries(split);
  const entries = options.samples
    ? options.samples.map((id) => entryOf(all, id, split))
    : spreadEntries(all, options.count ?? 4);
  const samples: SamplePreview[] = [];
  const damaged: DamagedSample[] = [];
  for await (const step of walkSamples(dataset, split, entries, { ...options, ...(signal && { signal }) })) {
    if (step.damaged) {
      damaged.push(step.damaged);
      continue;
    }
    const drawing = drawSample(dataset, step.sample);
    const sheet = compose(drawing, `s${samples.length + 1}`);
    const svg = stacked([sheet], '');
    const png = (): Uint8Array => svgToPng(svg, SCALE);
    const preview: SamplePreview = { id: step.entry.id, split, caption: drawing.caption, svg, png, sheet };
    samples.push(
      showAs(preview, { bundle: (shown) => pngBundle(shown.png(), describe(dataset.id, [shown])) }),
    );
  }
  options.onProgress?.(1, split);
  const title = `${dataset.manifest.title} (${split})`;
  const png = (): Uint8Array =>
    svgToPng(
      stacked(
        samples.map(({ sheet }) => sheet),
        title,
      ),
      SCALE,
    );
  const preview: DatasetPreview = { dataset: dataset.id, title, split, samples, damaged, png };
  return showAs(preview, {
    bundle: (shown) => pngBundle(shown.png(), describe(shown.dataset, samples, damaged)),
  });
}

function entryOf(entries: readonly Entry[], id: string, split: string): Entry {
  const entry = entries.find((candidate) => candidate.id === id);
  if (entry) return entry;
  throw new UsageError('SAMPLE_UNKNOWN', `The split "${split}" has no sample "${id}".`, {
    hint: `It has ${entries.length} samples, e.g. ${entries[0]?.id ?? 'none'}.`,
  });
}

/** A picture alone: beside HTML a front end would draw the HTML. */
function pngBundle(png: Uint8Array, text: string): MimeBundle {
  const bytes = Buffer.from(png);
  const shown = (at: number): number => Math.round(bytes.readUInt32BE(at) / SCALE);
  const size = { width: shown(16), height: shown(20) };
  return withMetadata({ [PNG]: bytes.toString('base64'), [TEXT]: `[image] ${text}` }, { [PNG]: size });
}

const describe = (
  dataset: string,
  samples: readonly SamplePreview[],
  damaged: readonly DamagedSample[] = [],
): string =>
  [
    `samples of ${dataset}: ${samples.map(({ id, caption }) => `${id} (${caption})`).join('; ') || 'none'}`,
    ...damaged.map(({ sample, code, message }) => `${sample} cannot be read: ${code}: ${message}`),
  ].join('\n');
