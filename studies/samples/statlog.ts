import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { defineDataset, defineStudy } from 'gondwana';
import { defineEncoder, imageOf } from 'gondwana/encoders';
import { imageInMemory, once, sampleFolder } from './folder.ts';

const SIDE = 3;
const BANDS = ['green', 'red', 'nir-1', 'nir-2'];
const CLASSES = [
  ...['red soil', 'cotton crop', 'grey soil', 'damp grey soil'],
  ...['vegetation stubble', 'very damp grey soil'],
];
/** Rows of the table: the customary split, its last training rows held out to choose the epoch. */
const ROWS = { train: [0, 3935], val: [3935, 4435], test: [4435, 6435] } as const;

const tableOf = once((folder) => {
  const text = gunzipSync(readFileSync(path.join(folder, 'satellite.csv.gz'))).toString('utf8');
  const [, ...lines] = text.trim().split(/\r?\n/);
  return Promise.resolve(lines.map((line) => line.split(',')));
});

/** Statlog (Landsat Satellite): 6,435 patches of 3 × 3 pixels in four bands of Landsat MSS, six classes. */
export const statlog = defineDataset('statlog-landsat', {
  manifest: {
    title: 'Statlog (Landsat Satellite)',
    task: 'classification',
    modalities: { optical: { bands: BANDS } },
    classes: CLASSES,
    imageSize: [SIDE, SIDE],
  },
  entries(split) {
    const [from, to] = ROWS[split as keyof typeof ROWS];
    return Array.from({ length: to - from }, (_, index) => ({
      id: `row-${from + index}`,
      row: from + index,
    }));
  },
  async read({ row }, { root }) {
    const cells = (await tableOf(root))[row]!;
    const data = Float32Array.from(cells.slice(0, SIDE * SIDE * BANDS.length), Number);
    return {
      images: {
        optical: imageInMemory(data, { height: SIDE, width: SIDE, bands: BANDS, dates: [null] }),
      },
      target: { kind: 'class', label: CLASSES.indexOf(cells.at(-1)!) },
    };
  },
});

/** The 36 numbers of a patch as one feature. */
export const patch = defineEncoder('patch', {
  manifest: { modalities: { optical: BANDS }, hyperparameters: { bandCount: BANDS.length } },
  hyperparameters: { parse: (given: unknown) => given as { readonly bandCount: number } },
  build: (_scope, { bandCount }) => ({
    features: [{ channels: SIDE * SIDE * bandCount, stride: SIDE }],
    forward(input) {
      const image = imageOf(input, bandCount);
      return [image.reshape([image.shape[0], 1, 1, SIDE * SIDE * bandCount])];
    },
  }),
  weights: { rename: [], discard: [] },
});

/** Logistic regression of the reference: accuracy 0.8395 with all labels. */
export default defineStudy({
  name: 'statlog',
  title: 'How many labels does a linear model of Landsat patches need?',
  protocol: 'geobench',
  datasets: ['statlog-landsat'],
  encoders: ['patch'],
  decoders: ['linear-head'],
  data: { 'statlog-landsat': sampleFolder('statlog-landsat') },
  settings: {
    ...{ crop: 'none', evaluation: 'whole', bands: 'match', normalization: 'z-score', flipProbability: 0 },
    ...{ batchSize: 64, epochs: 40, learningRate: 0.01, weightDecay: 0, patience: null },
  },
  vary: { labelFraction: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 1 } },
});
