import { defineTortilla, type Images } from './define.js';
import { rowNamed } from './container.js';
import { toLabels } from '../labels.js';
import type { LabelArray } from '../../io/raster.js';
import type { SampleImage } from '../sample.js';
import { readGrid } from './row-readers.js';
import { countOnes, maskOf } from './targets.js';

const STEPS = ['pre_event_1', 'pre_event_2', 'post_event'];

/**
 * Kuro Siwo: permanent water and flood, 224 × 224 px; Sentinel-1 twice before and once after, and heights.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-kuro-siwo.json
 */
export const kuroSiwo = defineTortilla('gb2-kuro-siwo', {
  rowsOf: () => (modality, rows) =>
    modality === 'sar' ? STEPS.map((step) => rowNamed(rows, step)) : rows.filter(({ id }) => id === modality),
  /** Radar is missing where the raster of valid pixels is 0; the reference takes the heights away there, too. */
  images: async (images, { rows }, io) => {
    const valid = await validPixels(rowNamed(rows, 'invalid_data'));
    const masked = Object.entries(images).map(([name, image]) => {
      const applies = name === 'sar' || io.isOn('invalid-filled');
      return [name, applies ? masking(image, valid) : image];
    });
    return Object.fromEntries(masked) as Images;
  },
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'mask'), io, { valid: rowNamed(rows, 'invalid_data') }),
  facts: async ({ rows }) => {
    const { data } = await validPixels(rowNamed(rows, 'invalid_data'));
    return { validPixels: countOnes(data) };
  },
});

/** 1 where there is a measurement, whatever the row's name says. */
const validPixels = async (row: Parameters<typeof readGrid>[0]): Promise<LabelArray> =>
  toLabels(await readGrid(row), row.where);

/** The image without the pixels that a raster of its size says are none. */
function masking(image: SampleImage, { data }: LabelArray): SampleImage {
  const { length } = image.data;
  const bandCount = image.bands.length;
  const valid = image.valid?.slice() ?? new Uint8Array(length).fill(1);
  for (let at = 0; at < length; at++) if (data[Math.floor(at / bandCount) % data.length] === 0) valid[at] = 0;
  return { ...image, valid: valid.includes(0) ? valid : null };
}
