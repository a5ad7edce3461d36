import { defineTortilla, type Images } from './define.js';
import { rowNamed } from './container.js';
import type { DatasetIo } from '../dataset-io.js';
import { toLabels } from '../labels.js';
import type { LabelArray } from '../../io/raster.js';
import { maskPixels } from './mask-pixels.js';
import { readGrid } from './row-readers.js';
import { countOnes, maskOf } from './targets.js';
import { wrongValue } from './time-steps.js';

const STEPS = ['pre_event_1', 'pre_event_2', 'post_event'];

/**
 * Kuro Siwo: permanent water and flood, 224 × 224 px; Sentinel-1 twice before and once after, and heights.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-kuro-siwo.json
 */
export const kuroSiwo = defineTortilla('gb2-kuro-siwo', {
  rowsOf: (io) => (modality, rows) =>
    modality === 'sar'
      ? chosenSteps(io).map((step) => rowNamed(rows, step))
      : rows.filter(({ id }) => id === modality),
  /** Radar is missing where the raster of valid pixels is 0; the reference takes the heights away there, too. */
  images: async (images, { rows }, io) => {
    const valid = await validPixels(rowNamed(rows, 'invalid_data'));
    const masked = Object.entries(images).map(([name, image]) => {
      const applies = name === 'sar' || io.isOn('invalid-filled');
      return [name, applies ? maskPixels(image, repeated(valid, image.timeCount)) : image];
    });
    return Object.fromEntries(masked) as Images;
  },
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'mask'), io, { valid: rowNamed(rows, 'invalid_data') }),
  facts: async ({ rows }) => {
    const { data } = await validPixels(rowNamed(rows, 'invalid_data'));
    return { validPixels: countOnes(data) };
  },
});

/** @throws UsageError PARAMETER_VALUE */
function chosenSteps(io: DatasetIo): readonly string[] {
  const wanted = io.parameter('steps');
  const isList = Array.isArray(wanted) && wanted.length > 0;
  if (isList && wanted.every((step) => STEPS.includes(step as string))) return wanted as readonly string[];
  throw wrongValue('steps', wanted, `a list of ${STEPS.join(', ')}`);
}

/** 1 where there is a measurement, whatever the row's name says. */
const validPixels = async (row: Parameters<typeof readGrid>[0]): Promise<LabelArray> =>
  toLabels(await readGrid(row), row.where);

/** The same pixels in every step. */
function repeated({ data }: LabelArray, timeCount: number): Uint8Array {
  const all = new Uint8Array(data.length * timeCount);
  for (let step = 0; step < timeCount; step++) all.set(data, step * data.length);
  return all;
}
