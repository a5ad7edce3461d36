import { defineTortilla, type Images, type TortillaSample } from './define.js';
import { rowNamed, type Row } from './container.js';
import { sampleImage } from '../image.js';
import type { DatasetIo } from '../dataset-io.js';
import { maskOf } from './targets.js';
import { wrongValue } from './time-steps.js';

/** Days of the month that the paper takes, from 0. */
const WEEKLY = [0, 4, 9, 14, 19, 24];

/**
 * DynamicEarthNet: land cover of a month, seven classes, 512 × 512 px; a Planet image a day and, for most months, one of
 * Sentinel-2.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-dynamic-earthnet.json
 */
export const dynamicEarthnet = defineTortilla('gb2-dynamic-earthnet', {
  rowsOf: (io) => (modality, rows) => {
    if (modality !== 'planet') return rows.filter(({ id }) => id === modality);
    const chosen = chosenDays(io);
    return planetRows(rows).filter((_, day) => chosen?.includes(day) ?? true);
  },
  images: (images, sample, io) =>
    's2' in images || !io.isOn('missing-s2-as-zeros') ? images : withZeros(images, sample, io),
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'label'), io),
  facts: ({ rows }) => ({
    days: planetRows(rows).length,
    weeklyIndices: WEEKLY,
    hasS2: rows.some(({ id }) => id === 's2'),
  }),
});

const planetRows = (rows: readonly Row[]): Row[] => rows.filter(({ id }) => /^planet_\d+$/.test(id));

/** Places of the days that the caller wants; undefined: all. @throws UsageError PARAMETER_VALUE */
function chosenDays(io: DatasetIo): readonly number[] | undefined {
  const wanted = io.parameter('days');
  if (wanted === 'daily') return undefined;
  if (wanted === 'weekly') return WEEKLY;
  if (wanted === 'single') return [0];
  throw wrongValue('days', wanted, '"single", "weekly" or "daily"');
}

/** The month's missing image as the reference has it. */
function withZeros(images: Images, { where }: TortillaSample, io: DatasetIo): Images {
  const { planet } = images;
  if (!planet) return images;
  const { height, width, crs, transform } = planet;
  const bands = io.modality('s2').bands.map(({ id }) => id);
  const data = new Int16Array(height * width * bands.length);
  return { ...images, s2: sampleImage({ data, height, width, bands, crs, transform }, where) };
}
