import path from 'node:path';
import { defineDataset, defineStudy, readNpy } from 'gondwana';
import { imageInMemory, once, sampleFolder } from './folder.ts';

export { mixedBands } from './mixed-bands.ts';

const SIZE = { height: 101, width: 100 };
const BANDS = ['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B8A', 'B9', 'B10', 'B11', 'B12'];
const SCENES = [2, 1, 4, 3, 0]; // of the dates, in the order of the array
const DATES = ['2015-07-11', '2015-07-31', '2015-08-20', '2015-08-30', '2015-09-09'];
const STORED = [2, 3, 4, 8];
const NO_DATA = 255;
/** Of twenty rows: ten to learn from, one apart, eight to test. Columns from 90 on choose the epoch. */
const STRIPS = {
  train: { first: 0, rows: 10, columns: [0, 90] },
  val: { first: 0, rows: 10, columns: [90, 100] },
  test: { first: 11, rows: 8, columns: [0, 100] },
} as const;

const patchOf = once(async (folder) => {
  const [scenes, landUse] = await Promise.all(
    ['REFERENCE_SCENES.npy', 'LULC.npy'].map((file) => readNpy(path.join(folder, file))),
  );
  return { scenes: scenes!.data as ArrayLike<number>, landUse: landUse!.data as ArrayLike<number> };
});

/** Five dates over Slovenia and what the land is used for; strips of one patch of 101 × 100 pixels. */
export const landUse = defineDataset('land-use-strips', {
  manifest: {
    title: 'Land use of a patch in Slovenia, five dates',
    task: 'segmentation',
    modalities: { optical: { sensor: 'sentinel-2', bands: BANDS } },
    classes: ['forest', 'grassland', 'shrubland', 'artificial surface'],
    labels: { ignoreIndex: NO_DATA },
    gsdM: 10,
  },
  entries(split) {
    const { first, rows } = STRIPS[split as keyof typeof STRIPS];
    const tops = [0, 1, 2, 3, 4, 5].map((strip) => strip * 20 + first);
    return tops.filter((top) => top + rows <= SIZE.height).map((top) => ({ id: `row-${top}`, top, split }));
  },
  async read({ top, split }, { root }) {
    const { scenes, landUse: stored } = await patchOf(root);
    const { rows: height, columns } = STRIPS[split as keyof typeof STRIPS];
    const width = columns[1] - columns[0];
    const pixelAt = (pixel: number): number =>
      (top + Math.floor(pixel / width)) * SIZE.width + columns[0] + (pixel % width);
    const order = DATES.map((_, date) => SCENES.indexOf(date));
    const area = height * width;
    const data = Float32Array.from({ length: DATES.length * area * BANDS.length }, (_, at) => {
      const [date, rest] = [Math.floor(at / (area * BANDS.length)), at % (area * BANDS.length)];
      const [pixel, band] = [Math.floor(rest / BANDS.length), rest % BANDS.length];
      const scene = order[date]! * SIZE.height * SIZE.width;
      return scenes[(scene + pixelAt(pixel)) * BANDS.length + band]!;
    });
    const labels = Uint8Array.from({ length: area }, (_, pixel) => {
      const label = STORED.indexOf(stored[pixelAt(pixel)]!);
      return label < 0 ? NO_DATA : label;
    });
    const map = { data: labels, height, width };
    return {
      images: { optical: imageInMemory(data, { height, width, bands: BANDS, dates: DATES }) },
      target: { kind: 'mask', labels: map, stored: map },
    };
  },
});

/**
 * Logistic regression of the reference: accuracy 0.926 and mIoU 0.472 with five dates, 0.805 and 0.266 with one; the
 * most frequent class is 0.786 of the pixels. Which date it took alone is not known: here it is the first one.
 */
export default defineStudy({
  name: 'dates',
  title: 'What are five dates worth over one, and how are they best put together?',
  protocol: 'pangaea',
  datasets: ['land-use-strips'],
  encoders: ['mixed-bands'],
  decoders: ['linear-pixel'],
  data: { 'land-use-strips': sampleFolder('eolearn-testpatch') },
  settings: {
    ...{ crop: 'none', evaluation: 'whole', bands: 'adapt', normalization: 'z-score', dropLast: false },
    ...{
      batchSize: 1,
      epochs: 240,
      validateEvery: 1,
      learningRate: 0.01,
      weightDecay: 0,
      schedule: 'cosine',
    },
    ...{ encoderMode: 'fine-tuned', temporal: 'linear' },
  },
  vary: { dates: [1, 5] },
  also: [
    { dates: 5, temporal: 'ltae' },
    { dates: 5, temporal: 'mean' },
  ],
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 1 } },
});
