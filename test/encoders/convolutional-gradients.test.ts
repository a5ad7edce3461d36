import { afterEach, expect, it } from 'vitest';
import { convnext } from '../../src/encoders/convnext.js';
import type { EncoderFamily, EncoderInput } from '../../src/encoders/encoder.js';
import { gfmSwin } from '../../src/encoders/gfm-swin.js';
import { resnet } from '../../src/encoders/resnet.js';
import { satlas } from '../../src/encoders/satlas.js';
import { swin } from '../../src/encoders/swin.js';
import { unet } from '../../src/encoders/unet.js';
import { utae } from '../../src/encoders/utae.js';
import { startEngine } from '../../src/engine/engine.js';
import { withCheckpoints } from '../../src/engine/ops/checkpoint.js';
import { tf, type Scalar, type Tensor, type Tensor5D } from '../../src/engine/tf.js';
import { images, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const windows = { width: 8, depths: [2, 1], heads: [2, 2], windowSize: 4 };
const image = (): EncoderInput => ({ images: { optical: images(2, 32, 32, 3) } });
const series = (): EncoderInput => ({
  images: { optical: tf.randomNormal([2, 3, 32, 32, 3], 1, 1, 'float32', 4) as Tensor5D },
  times: [0, 1].map(() => [5, 60, 200].map((dayOfYear) => ({ year: 2020, dayOfYear }))),
});

const cases: readonly [string, EncoderFamily, Readonly<Record<string, unknown>>, () => EncoderInput][] = [
  ['a residual network', resnet, { block: 'bottleneck', depths: [1, 1], widths: [4, 4] }, image],
  ['Swin', swin, { ...windows, version: 1, layout: 'torchvision' }, image],
  ['Swin v2 of torchvision', swin, { ...windows, version: 2, layout: 'torchvision' }, image],
  ['Swin v2 of timm', swin, { ...windows, version: 2, layout: 'timm', imageSize: [32, 32] }, image],
  ['GFM', gfmSwin, { ...windows, imageSize: [32, 32] }, image],
  ['SatlasPretrain', satlas, { ...windows, multiImage: true, pyramidChannels: 4 }, series],
  ['ConvNeXt', convnext, { depths: [1, 1], widths: [8, 8] }, image],
  ["the U-Net's encoder", unet, { bandCount: 3, widths: [4, 4], dateCount: 3 }, series],
  [
    'U-TAE',
    utae,
    {
      ...{ bandCount: 3, encoderWidths: [8, 8], decoderWidths: [4, 8], outWidths: [2] },
      ...{ heads: 2, modelWidth: 8, keyWidth: 2 },
    },
    series,
  ],
];

/** Nothing of a feature passes through these: the norm of the pooled vector, and constants before a softmax. */
const UNTOUCHED = /(?:^|\/)(?:head\/norm|norm)\/|fc1_k\/bias/;

it.each(cases)(
  'every parameter of %s can be trained, and a step leaves no tensors behind',
  (_, family, hyper, input) => {
    const { encoder, store } = smallEncoder(family, hyper);
    const trained = store.all.filter(
      ({ name, variable }) => variable.trainable && !UNTOUCHED.test(name.slice(6)),
    );
    const before = tf.memory().numTensors;
    tf.tidy(() => {
      const given = input();
      const loss = (): Scalar => {
        const maps = encoder.forward(given, { training: true });
        // weights that differ, so that what a normalisation behind them takes away is not all there is
        const parts = maps.map((map) =>
          tf.sum(tf.mul(tf.sin(map), tf.randomUniform(map.shape, 0, 1, 'float32', 9))),
        );
        return tf.addN(parts) as Scalar;
      };
      const { grads } = tf.variableGrads(
        loss,
        trained.map(({ variable }) => variable),
      );
      for (const { name, variable } of trained) {
        const largest = tf.max(tf.abs(grads[variable.name]!)).dataSync()[0]!;
        expect(largest, name).toBeGreaterThan(0);
        expect(largest, name).toBeLessThan(1e6);
      }
    });
    expect(tf.memory().numTensors).toBe(before);
  },
);

it.each([
  ['Swin', swin, { ...windows, version: 1, layout: 'torchvision' }],
  ['Swin v2', swin, { ...windows, version: 2, layout: 'timm', imageSize: [40, 28] }],
  ['ConvNeXt', convnext, { depths: [2, 1], widths: [8, 8], layerScale: 0.5 }],
] as const)(
  '%s has the same gradients where blocks are computed twice, and keeps less',
  (_, family, hyper) => {
    const { encoder, store } = smallEncoder(family, hyper);
    const variables = store.all
      .filter(({ name, variable }) => variable.trainable && !UNTOUCHED.test(name.slice(6)))
      .map(({ variable }) => variable);
    tf.tidy(() => {
      // a map of 10 × 7, which windows do not divide: shifted, filled and masked
      const input: EncoderInput = { images: { optical: images(2, 40, 28, 3) } };
      let kept = 0;
      const step = (): { value: Scalar; grads: Record<string, Tensor> } => {
        const before = tf.memory().numBytes;
        return tf.variableGrads(() => {
          const maps = encoder.forward(input, { training: true });
          kept = tf.memory().numBytes - before;
          return tf.addN(maps.map((map) => tf.sum(tf.sin(map)))) as Scalar;
        }, variables);
      };
      const plain = step();
      const plainBytes = kept;
      const sparing = withCheckpoints(step);
      expect(kept).toBeLessThan(plainBytes / 2);
      expect(sparing.value.dataSync()[0]! / plain.value.dataSync()[0]!).toBeCloseTo(1, 5);
      for (const { name } of variables) {
        const [gradient, twice] = [plain.grads[name]!, sparing.grads[name]!];
        const size = tf.max(tf.abs(gradient)).dataSync()[0]!;
        const difference = tf.max(tf.abs(tf.sub(twice, gradient))).dataSync()[0]!;
        // without a gradient at hand, layers take other kernels: float32 sums in another order
        expect(difference, name).toBeLessThan(2e-5 * (1 + size));
      }
    });
    store.dispose();
  },
);
