import {
  defineDataset,
  openDataset,
  type Dataset,
  type DatasetDefinition,
} from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import { defineDecoder } from '../../src/decoders/decoder.js';
import { registerEncoder } from '../../src/encoders/register-encoder.js';
import { resize } from '../../src/engine/ops/resize.js';
import { convolution } from '../../src/layers/convolution.js';
import { completeProtocol, type Protocol } from '../../src/manifests/protocol-manifest.js';
import { createRandom } from '../../src/random.js';
import { answerOf } from '../../src/training/answer.js';
import { Feed, type FeedOptions } from '../../src/training/feed.js';
import { zScore } from '../../src/preprocessing/normalizers.js';
import { SampleCache } from '../../src/training/sample-cache.js';
import { buildTaskModel, planEncoder, type TaskModel } from '../../src/training/task-model.js';
import { tempFolder } from './temp-folder.js';
import { tinyEncoder } from './tiny-encoder.js';

export const tinyDecoder = defineDecoder('tiny', {
  build(scope, { features, classCount }) {
    const head = convolution(scope.child('head'), {
      inChannels: features[0]!.channels,
      outChannels: classCount,
      kernelSize: 1,
      bias: true,
    });
    return ([map], { height, width }, context) =>
      resize(head(map!, context), [height, width], { mode: 'bilinear' });
  },
});

/**
 * A segmentation of 8 × 12 pixels in blocks of 4 × 4, whose class is whether the first band of the block is bright. Places
 * are `even` and `odd`; `change` replaces pixels of a sample.
 */
export const tinyDataset = (
  counts: Readonly<Record<string, number>> = { train: 8, val: 4, test: 4 },
  change: (id: string, pixels: Float32Array) => void = () => undefined,
): DatasetDefinition =>
  defineDataset('tiny-blocks', {
    manifest: {
      task: 'segmentation',
      modalities: {
        optical: {
          bands: ['a', 'b'],
          statistics: [
            { source: 'by design', mean: [127.5, 127.5], std: [74, 74], min: [0, 0], max: [255, 255] },
          ],
        },
      },
      classes: ['dark', 'bright'],
      splits: Object.keys(counts),
    },
    entries: (split) => Array.from({ length: counts[split]! }, (_, index) => ({ id: `${split}-${index}` })),
    read({ id }) {
      const random = createRandom(1).split(id);
      const [height, width] = [8, 12];
      const bright = Array.from({ length: 6 }, () => random.integer(2));
      const blockOf = (pixel: number): number =>
        Math.floor(pixel / width / 4) * 3 + Math.floor((pixel % width) / 4);
      const data = Float32Array.from({ length: height * width * 2 }, (_, i) =>
        i % 2 === 0 ? 40 + 130 * bright[blockOf(i >> 1)]! + random.integer(40) : random.integer(256),
      );
      const labels = {
        data: Uint8Array.from({ length: height * width }, (_, pixel) => (data[pixel * 2]! > 127 ? 1 : 0)),
        ...{ height, width },
      };
      change(id, data);
      return Promise.resolve({
        images: { optical: sampleImage({ data, height, width, bands: ['a', 'b'] }) },
        target: { kind: 'mask', labels, stored: labels },
        facts: { place: Number(id.split('-').at(-1)) % 2 ? 'odd' : 'even' },
      });
    },
  });

export const openTiny = (definition: DatasetDefinition = tinyDataset()): Promise<Dataset> =>
  openDataset(definition, tempFolder());

export const tinyProtocol: Protocol = completeProtocol({
  crop: 'none',
  batchSize: 4,
  epochs: 3,
  optimizer: 'adamw',
  learningRate: 0.02,
  weightDecay: 0.05,
  flipProbability: 0.5,
  evaluation: 'whole',
});

/** Inputs of a tiny dataset, normalised by design. */
export async function tinyFeed(
  options: Partial<FeedOptions> & { readonly definition?: DatasetDefinition } = {},
): Promise<Feed> {
  const dataset = await openTiny(options.definition);
  return new Feed({
    dataset,
    cache: new SampleCache(dataset, 1e9),
    crop: null,
    flipProbability: 0.5,
    flips: 'horizontal',
    steps: () => [zScore()],
    describe: ({ images }) => Promise.resolve({ images }),
    answer: (sample) => answerOf(sample, 'segmentation', 2),
    onWarning: () => undefined,
    ...options,
  });
}

export async function buildTinyModel(seed = 0): Promise<TaskModel> {
  registerEncoder(tinyEncoder, 'test');
  const feed = await tinyFeed();
  const [item] = await feed.samples('train');
  return buildTaskModel({
    encoder: await planEncoder({
      ...{ encoder: 'tiny', weightsFile: null, seed, sensor: 'aerial' },
      protocol: tinyProtocol,
      datasetBands: { optical: ['a', 'b'] },
    }),
    decoder: tinyDecoder,
    ...{
      task: 'segmentation',
      outputCount: 2,
      protocol: tinyProtocol,
      isTrained: true,
      mode: 'corrected',
      wavelengths: {},
    },
    example: (await feed.read(item!)).input,
    random: createRandom(seed).split('weights'),
  });
}
