import { z } from 'zod';
import { defineDecoder } from '../../src/decoders/decoder.js';
import { defineEncoder } from '../../src/encoders/define-encoder.js';
import { imageOf } from '../../src/encoders/images.js';
import { relu } from '../../src/engine/ops/activations.js';
import { resize } from '../../src/engine/ops/resize.js';
import { batchNormalization } from '../../src/layers/batch-normalization.js';
import { convolution } from '../../src/layers/convolution.js';
import { sequence } from '../../src/layers/layer.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { createRandom } from '../../src/random.js';
import { buildModel, type SegmentationModel } from '../../src/training/model.js';
import type { Tile } from '../../src/training/tiles.js';

/** Four channels at half the resolution: small enough for hundreds of steps in a test. */
export const tinyEncoder = defineEncoder('tiny', {
  hyperparameters: z.object({ bandCount: z.int().default(3) }),
  build(scope, { bandCount }) {
    const layer = sequence([
      convolution(scope.child('convolution'), {
        inChannels: bandCount,
        outChannels: 4,
        kernelSize: 3,
        stride: 2,
      }),
      batchNormalization(scope.child('norm'), { channels: 4 }),
      relu,
    ]);
    return {
      features: [{ channels: 4, stride: 2 }],
      forward: (input, context) => [layer(imageOf(input, bandCount), context)],
    };
  },
  weights: { rename: [], discard: [] },
});

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

export const buildTinyModel = (seed = 0): Promise<SegmentationModel> =>
  buildModel({
    family: tinyEncoder,
    manifest: readEncoderManifest('efficientnet-lite0'),
    decoder: tinyDecoder,
    bandCount: 2,
    classCount: 2,
    random: createRandom(seed).split('weights'),
  });

/** Tiles of 8 × 12 pixels in blocks of 4 × 4, whose class is whether the first band of the block is bright. */
export function tinyTiles(count: number, seed = 1): Tile[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const [height, width] = [8, 12];
    const bright = Array.from({ length: 6 }, () => random.integer(2));
    const blockOf = (pixel: number): number =>
      Math.floor(pixel / width / 4) * 3 + Math.floor((pixel % width) / 4);
    const data = Uint8Array.from({ length: height * width * 2 }, (_, i) =>
      i % 2 === 0 ? 40 + 130 * bright[blockOf(i >> 1)]! + random.integer(40) : random.integer(256),
    );
    const target = Uint8Array.from({ length: height * width }, (_, pixel) =>
      data[pixel * 2]! > 127 ? 1 : 0,
    );
    return {
      id: `tile-${index}`,
      split: 'train',
      place: index % 2 ? 'odd' : 'even',
      image: { data, height, width, bandCount: 2 },
      target: { data: target, height, width },
    };
  });
}

export const tinyProtocol = {
  tileSize: 8,
  batchSize: 4,
  epochs: 3,
  optimizer: 'adamw',
  learningRate: 0.02,
  encoderLearningRate: 0.02,
  weightDecay: 0.05,
  loss: 'cross-entropy',
  flipProbability: 0.5,
  selectBy: 'mIoU',
  windowStride: 8,
} as const;

export const tinyNormalization = { shift: [127.5, 127.5], scale: [74, 74] };
