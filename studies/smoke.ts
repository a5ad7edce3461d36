import { createRandom, defineDataset, defineStudy } from 'gondwana';
import { batchNormalization, convolution, defineEncoder, imageOf, ops } from 'gondwana/encoders';

/** Blocks of 8 × 8 pixels, dark or bright in the first of two bands, under noise: drawn, so that no file is needed. */
export const smokeBlocks = defineDataset('smoke-blocks', {
  manifest: {
    title: 'Drawn blocks, dark or bright',
    task: 'segmentation',
    modalities: { optical: { bands: ['signal', 'noise'] } },
    classes: ['dark', 'bright'],
  },
  entries: (split) =>
    Array.from({ length: split === 'train' ? 24 : 8 }, (_, index) => ({ id: `${split}-${index}` })),
  read({ id }) {
    const random = createRandom(0).split(id);
    const bright = Array.from({ length: 16 }, () => random.integer(2));
    const blockOf = (pixel: number) => Math.floor(pixel / 256) * 4 + Math.floor((pixel % 32) / 8);
    const data = Float32Array.from({ length: 32 * 32 * 2 }, (_, at) =>
      at % 2 === 0 ? 80 + 40 * bright[blockOf(at >> 1)]! + 40 * random.normal() : 255 * random.uniform(),
    );
    const labels = {
      data: Uint8Array.from({ length: 1024 }, (_, pixel) => bright[blockOf(pixel)]!),
      height: 32,
      width: 32,
    };
    return Promise.resolve({
      images: {
        optical: {
          ...{ data, timeCount: 1, height: 32, width: 32, bands: ['signal', 'noise'], dates: [null] },
          ...{ valid: null, storedType: 'float32', crs: null, transform: null, nodata: null },
        },
      },
      target: { kind: 'mask', labels, stored: labels },
    });
  },
});

/** Two convolutions: small enough for a run of a second. */
export const smokeEncoder = defineEncoder('smoke-encoder', {
  manifest: { modalities: { optical: ['signal', 'noise'] } },
  hyperparameters: { parse: () => ({}) },
  build(scope) {
    const layers = [0, 1].map((level) => ({
      convolve: convolution(scope.child(`convolution-${level}`), {
        ...{ inChannels: level === 0 ? 2 : 8, outChannels: 8, kernelSize: 3, stride: 2 },
      }),
      normalize: batchNormalization(scope.child(`norm-${level}`), { channels: 8 }),
    }));
    return {
      features: [
        { channels: 8, stride: 2 },
        { channels: 8, stride: 4 },
      ],
      forward(input, context) {
        const fine = ops.relu(layers[0]!.normalize(layers[0]!.convolve(imageOf(input, 2), context), context));
        const coarse = ops.relu(layers[1]!.normalize(layers[1]!.convolve(fine, context), context));
        return [fine, coarse];
      },
    };
  },
  weights: { rename: [], discard: [] },
});

/** Twelve runs of about a second: does everything work here? */
export default defineStudy({
  name: 'smoke',
  title: 'Does everything work here?',
  protocol: 'pangaea',
  datasets: ['smoke-blocks'],
  encoders: ['smoke-encoder'],
  decoders: ['unet'],
  data: { 'smoke-blocks': '.' },
  settings: { crop: 'none', evaluation: 'whole', validateEvery: 1, epochs: 3, learningRate: 0.01 },
  vary: { encoderMode: ['frozen', 'fine-tuned'], normalization: ['z-score', 'none'] },
  seeds: [0, 1, 2],
});
