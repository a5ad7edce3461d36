import { defineDataset, openDataset, type DatasetDefinition } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import type { SampleObject } from '../../src/datasets/sample.js';
import { fasterRcnn, maskRcnn } from '../../src/detection/detector-family.js';
import { registerEncoder } from '../../src/encoders/register-encoder.js';
import { noNormalization } from '../../src/preprocessing/normalizers.js';
import { createRandom } from '../../src/random.js';
import { Feed, type FeedOptions } from '../../src/training/feed.js';
import { SampleCache } from '../../src/training/sample-cache.js';
import { buildDetectionModel, planEncoder, type DetectionModel } from '../../src/training/task-model.js';
import { truthOf } from '../../src/training/truth.js';
import { tempFolder } from './temp-folder.js';
import { tinyEncoder } from './tiny-encoder.js';
import { tinyProtocol } from './tiny-run.js';

const [HEIGHT, WIDTH] = [32, 64];

/** Bright squares of 8 to 15 pixels under noise, none to three an image of 32 × 64 pixels; the outlines are their masks. */
export const tinySquares = (task: 'detection' | 'instance_segmentation' = 'detection'): DatasetDefinition =>
  defineDataset(`tiny-squares-${task.replace('_', '-')}`, {
    manifest: {
      task,
      modalities: { optical: { bands: ['a', 'b'] } },
      classes: ['background', 'square'],
    },
    entries: (split) => Array.from({ length: 4 }, (_, index) => ({ id: `${split}-${index}` })),
    read({ id }) {
      const random = createRandom(1).split(id);
      const objects = Array.from({ length: Number(id.split('-').at(-1)) }, (_, at): SampleObject => {
        const side = 8 + random.integer(8);
        const [left, top] = [20 * at + random.integer(20 - side), random.integer(HEIGHT - side)];
        const [right, bottom] = [left + side, top + side];
        const polygons = [[left, top, right, top, right, bottom, left, bottom]];
        return { id: at, label: 1, box: [left, top, right, bottom], polygons };
      });
      const data = Float32Array.from({ length: HEIGHT * WIDTH * 2 }, () => random.uniform());
      for (const { box } of objects)
        for (let row = box[1]; row < box[3]; row++)
          for (let column = box[0]; column < box[2]; column++) data[(row * WIDTH + column) * 2]! += 3;
      return Promise.resolve({
        images: { optical: sampleImage({ data, height: HEIGHT, width: WIDTH, bands: ['a', 'b'] }) },
        target: { kind: task === 'detection' ? 'boxes' : 'instances', objects },
        facts: {},
      });
    },
  });

/** Inputs of tiny squares, as they are. */
export async function squareFeed(
  definition: DatasetDefinition = tinySquares(),
  options: Partial<FeedOptions> = {},
): Promise<Feed> {
  const dataset = await openDataset(definition, tempFolder());
  return new Feed({
    dataset,
    ...truthOf(dataset),
    cache: new SampleCache(dataset, 1e9),
    ...{ crop: null, flipProbability: 0.5, flips: 'both' },
    steps: () => [noNormalization()],
    describe: ({ images }) => Promise.resolve({ images }),
    onWarning: () => undefined,
    ...options,
  });
}

export async function buildSquareDetector(feed: Feed, seed = 0): Promise<DetectionModel> {
  registerEncoder(tinyEncoder, 'test');
  const [item] = await feed.samples('train');
  const { task } = feed.options.dataset.manifest;
  const isMask = task === 'instance_segmentation';
  return buildDetectionModel({
    encoder: await planEncoder({
      ...{ encoder: 'tiny', weightsFile: null, seed, sensor: 'aerial' },
      protocol: tinyProtocol,
      datasetBands: { optical: ['a', 'b'] },
    }),
    decoder: isMask ? maskRcnn : fasterRcnn,
    decoderHyperparameters: {
      ...{ pyramidChannels: 8, headWidth: 16, anchorSizes: [12], anchorRatios: [1] },
      ...{ trainingProposals: 30, proposals: 20, anchorBatch: 32, boxBatch: 16 },
      ...(isMask && { headConvolutions: [8], maskConvolutions: [8], maskWidth: 8 }),
    },
    ...{ task, outputCount: 2, protocol: tinyProtocol, isTrained: true, mode: 'corrected', wavelengths: {} },
    example: (await feed.read(item!)).input,
    random: createRandom(seed).split('weights'),
  });
}
