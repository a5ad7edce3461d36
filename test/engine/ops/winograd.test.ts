import { describe, expect, test } from 'vitest';
import { convAttributes, shapeTensor } from '../../../src/engine/ops/conv-attributes.js';
import { conv2d } from '../../../src/engine/ops/index.js';
import { rawOp } from '../../../src/engine/ops/raw.js';
import {
  isWinograd,
  winogradConv2d,
  winogradFilterGradient,
  winogradInputGradient,
} from '../../../src/engine/ops/winograd.js';
import { findNativeEngines } from '../../../src/engine/native.js';
import { tf, type Tensor, type Tensor4D } from '../../../src/engine/tf.js';
import { onBackend } from '../backends.js';

const isThere = findNativeEngines().some(({ stamp }) => stamp.fusedKernels);

type Shape = [number, number, number, number];

/** Values of a smooth wave, so that neighbours differ and no axis looks like another. */
const wave = (shape: Shape, step: number): Tensor4D =>
  tf.tensor4d(
    Float32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => Math.sin(step * i + 0.3)),
    shape,
  );

/** TensorFlow's own convolution with its two gradients; padding 2 is added to x beforehand. */
function direct(x: Tensor4D, filter: Tensor4D, dy: Tensor4D, padding: number): Tensor[] {
  const around: [number, number] = [padding, padding];
  const padded = tf.pad4d(x, [[0, 0], around, around, [0, 0]]);
  const attributes = convAttributes('Conv2D', { stride: [1, 1], padding: 'VALID' });
  const dPadded = rawOp('Conv2DBackpropInput', [shapeTensor(padded.shape), filter, dy], attributes)[0]!;
  return [
    rawOp('Conv2D', [padded, filter], attributes)[0]!,
    tf.slice(dPadded, [0, padding, padding, 0], x.shape),
    rawOp('Conv2DBackpropFilter', [padded, shapeTensor(filter.shape), dy], attributes)[0]!,
  ];
}

const winograd = (x: Tensor4D, filter: Tensor4D, dy: Tensor4D, padding: number): Tensor[] => [
  winogradConv2d(x, filter, padding),
  winogradInputGradient(dy, filter, padding),
  winogradFilterGradient(x, dy, padding),
];

/** Largest difference as a share of the largest value. */
const apart = (a: Tensor, b: Tensor): number =>
  tf.tidy(() => tf.max(tf.abs(tf.sub(a, b))).dataSync()[0]! / tf.max(tf.abs(b)).dataSync()[0]!);

/** Bit for bit. */
const areEqual = (a: Tensor, b: Tensor): boolean =>
  Buffer.from(a.dataSync().buffer).equals(Buffer.from(b.dataSync().buffer));

/** Sums of up to 9 · 600 products in another order, and 16 terms of either sign a pixel: some 4e-6 of the largest value. */
const TOLERANCE = 1e-5;

const AROUND = [
  [1, 1],
  [1, 1],
];

describe.skipIf(!isThere)('convolutions by Winograd', () => {
  const cases = [
    { x: [1, 4, 4, 1], outChannels: 1, padding: 1 },
    { x: [1, 1, 1, 3], outChannels: 2, padding: 1 },
    { x: [2, 5, 8, 7], outChannels: 33, padding: 0 },
    { x: [3, 7, 9, 40], outChannels: 17, padding: 1 },
    { x: [2, 3, 6, 16], outChannels: 16, padding: 2 },
    { x: [2, 64, 63, 300], outChannels: 20, padding: 1 }, // several parts of memory
    { x: [3, 33, 33, 20], outChannels: 600, padding: 1 },
  ] satisfies { x: Shape; outChannels: number; padding: number }[];

  test.each(cases)(
    'of $x to $outChannels channels, padded by $padding: value and both gradients are the direct ones',
    ({ x, outChannels, padding }) => {
      onBackend('tensorflow', () =>
        tf.tidy(() => {
          const [batch, height, width, channels] = x as Shape;
          const image = wave(x as Shape, 0.7);
          const filter = wave([3, 3, channels, outChannels], 1.1);
          const dy = wave([batch, height + 2 * padding - 2, width + 2 * padding - 2, outChannels], 0.31);
          const expected = direct(image, filter, dy, padding);
          const found = winograd(image, filter, dy, padding);
          expect(found.map((t) => t.shape)).toEqual(expected.map((t) => t.shape));
          for (const [i, t] of found.entries()) expect(apart(t, expected[i]!)).toBeLessThan(TOLERANCE);
          const again = winograd(image, filter, dy, padding);
          for (const [i, t] of again.entries()) expect(areEqual(t, found[i]!)).toBe(true);
        }),
      );
    },
  );

  test('is what conv2d takes where it gains: 3 × 3, step 1, many channels, many pixels', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        const filter = tf.zeros([3, 3, 256, 256]) as Tensor4D;
        const step = { stride: 1, dilation: 1, padding: AROUND };
        expect(isWinograd([2, 16, 16, 256], filter, step)).toBe(true);
        expect(isWinograd([1, 16, 16, 256], filter, step)).toBe(false);
        expect(isWinograd([2, 16, 16, 256], filter, { ...step, stride: 2 })).toBe(false);
        expect(isWinograd([2, 16, 16, 256], filter, { ...step, dilation: 2 })).toBe(false);
        expect(isWinograd([2, 16, 16, 256], filter, { ...step, groups: 2 })).toBe(false);
        expect(
          isWinograd([2, 16, 16, 256], filter, {
            ...step,
            padding: [
              [1, 0],
              [1, 1],
            ],
          }),
        ).toBe(false);
        expect(isWinograd([2, 16, 16, 128], tf.zeros([3, 3, 128, 256]) as Tensor4D, step)).toBe(false);
        expect(isWinograd([2, 16, 16, 256], tf.zeros([1, 1, 256, 256]) as Tensor4D, step)).toBe(false);
      }),
    );
    const isOnCpu = onBackend('cpu', () =>
      tf.tidy(() => {
        const filter = tf.zeros([3, 3, 256, 256]) as Tensor4D;
        return isWinograd([2, 16, 16, 256], filter, { stride: 1, dilation: 1, padding: AROUND });
      }),
    );
    expect(isOnCpu).toBe(false);
  });

  test.each([
    { name: 'same', padding: 1 },
    { name: 'valid', padding: 0 },
  ] as const)(
    'conv2d with padding $name has the gradients of the direct convolution',
    ({ name, padding }) => {
      onBackend('tensorflow', () =>
        tf.tidy(() => {
          const inputs = [wave([1, 23, 24, 256], 0.7), wave([3, 3, 256, 256], 1.1)] as const;
          const value = conv2d(...inputs, { padding: name });
          const dy = wave(value.shape, 0.31);
          const loss = (x: Tensor, filter: Tensor): Tensor =>
            tf.sum(tf.mul(conv2d(x as Tensor4D, filter as Tensor4D, { padding: name }), dy));
          const found = [value, ...tf.grads(loss)([...inputs])];
          for (const [i, t] of direct(...inputs, dy, padding).entries())
            expect(apart(found[i]!, t)).toBeLessThan(TOLERANCE);
        }),
      );
    },
  );

  test('what does not fit is refused by the ops themselves', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        const x = wave([1, 4, 4, 2], 0.7);
        const place = (...values: number[]): Tensor => tf.tensor1d(values, 'int32');
        const calls: [string, Tensor[]][] = [
          ['GondwanaWinogradInput', [x, place(1, 0, 3)]],
          ['GondwanaWinogradInput', [x, place(1, 0)]],
          ['GondwanaWinogradOutput', [tf.zeros([16, 5, 2]), place(1, 4, 4, 0)]],
          ['GondwanaWinogradGrad', [x, place(1, 2)]],
          ['GondwanaWinogradFilter', [x, place(0)]],
          ['GondwanaWinogradFilterGrad', [x]],
        ];
        for (const [name, inputs] of calls)
          expect(() => rawOp(name, inputs, {}), name).toThrow(/rows|other|shape/);
      }),
    );
  });
});
