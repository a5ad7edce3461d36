import { expect, it } from 'vitest';
import {
  adaptiveAvgPool2d,
  adaptiveMaxPool2d,
  avgPool2d,
  cropAndResize,
  globalAvgPool2d,
  maxPool2d,
  pixelShuffle,
  pixelUnshuffle,
  projectiveTransform,
} from '../../../src/engine/ops/index.js';
import { tf, type Tensor } from '../../../src/engine/tf.js';
import { describeBackends, onBackend } from '../backends.js';
import { checkOps } from '../gradient-check.js';

const IMAGE = { shape: [2, 5, 7, 2] };
const SPACED = { ...IMAGE, values: 'spaced' } as const;

checkOps('pooling', [
  { name: 'max pooling', inputs: [SPACED], run: (x) => maxPool2d(x!, { kernel: 2 }) },
  {
    name: 'padded overlapping max pooling',
    inputs: [SPACED],
    run: (x) => maxPool2d(x!, { kernel: 3, stride: 2, padding: 1 }),
  },
  {
    name: 'max pooling with another kernel, stride and padding by axis',
    inputs: [SPACED],
    run: (x) => maxPool2d(x!, { kernel: [3, 2], stride: [1, 3], padding: [1, 0] }),
  },
  { name: 'average pooling', inputs: [IMAGE], run: (x) => avgPool2d(x!, { kernel: [2, 3] }) },
  {
    name: 'padded average pooling',
    inputs: [IMAGE],
    run: (x) => avgPool2d(x!, { kernel: 3, stride: 2, padding: 1 }),
  },
  {
    name: 'padded average pooling of what lies inside',
    inputs: [IMAGE],
    run: (x) => avgPool2d(x!, { kernel: 3, stride: 2, padding: 1, countPadding: false }),
  },
  { name: 'adaptive average pooling', inputs: [IMAGE], run: (x) => adaptiveAvgPool2d(x!, [2, 3]) },
  { name: 'adaptive max pooling', inputs: [SPACED], run: (x) => adaptiveMaxPool2d(x!, [2, 3]) },
  { name: 'global average pooling', inputs: [IMAGE], run: (x) => globalAvgPool2d(x!) },
]);

const blocks = (t: Tensor, block: number): Tensor => pixelUnshuffle(t, block, 'block-first');

checkOps('moving pixels', [
  { name: 'pixel shuffle', inputs: [{ shape: [2, 2, 3, 8] }], run: (x) => pixelShuffle(x!, 2) },
  {
    name: 'pixel shuffle with blocks first',
    inputs: [{ shape: [2, 2, 3, 8] }],
    run: (x) => pixelShuffle(x!, 2, 'block-first'),
  },
  { name: 'pixel unshuffle', inputs: [{ shape: [2, 4, 6, 2] }], run: (x) => pixelUnshuffle(x!, 2) },
  { name: 'pixel unshuffle with blocks first', inputs: [{ shape: [2, 4, 6, 2] }], run: (x) => blocks(x!, 2) },
  {
    name: 'cropping and resizing boxes, one of them partly outside',
    inputs: [
      IMAGE,
      { shape: [3, 4], values: [0.1, 0.2, 0.8, 0.7, 0, 0, 1, 1, -0.3, 0.5, 0.6, 1.2] },
      { shape: [3], values: [1, 0, 1], dtype: 'int32' },
    ],
    run: (images, boxes, indices) => cropAndResize(images!, boxes!, indices!, [3, 4]),
  },
  {
    name: 'cropping single samples',
    inputs: [
      IMAGE,
      { shape: [1, 4], values: [0.1, 0.2, 0.8, 0.7] },
      { shape: [1], values: [1], dtype: 'int32' },
    ],
    run: (images, boxes, indices) => cropAndResize(images!, boxes!, indices!, [1, 1]),
  },
  {
    name: 'a projective transform',
    inputs: [IMAGE, { shape: [1, 8], values: [0.9, 0.2, -0.3, -0.1, 1.1, 0.4, 0.01, 0.02] }],
    run: (x, coefficients) => projectiveTransform(x!, coefficients!, { fillValue: 2, size: [4, 8] }),
    forwardOnly: true,
  },
  {
    name: 'a nearest transform with mirrored borders',
    inputs: [
      IMAGE,
      { shape: [2, 8], values: [...[1, 0, 2.2, 0, 1, -1.3, 0, 0], ...[0, 1, 0.3, -1, 0, 4.4, 0, 0]] },
    ],
    run: (x, coefficients) =>
      projectiveTransform(x!, coefficients!, { interpolation: 'nearest', fill: 'reflect' }),
    forwardOnly: true,
  },
]);

describeBackends('equal values', (backend) => {
  it('of a window, the first takes the gradient of max pooling', () => {
    onBackend(backend, () =>
      tf.tidy(() => {
        const slope = tf.grad((x) => maxPool2d(x, { kernel: [2, 3], stride: 2, padding: [1, 0] }))(
          tf.zeros([1, 2, 5, 1]),
        );
        // window rows −1 … 0 and 1 … 2, columns 0 … 2 and 2 … 4
        expect([...slope.dataSync()]).toEqual([1, 0, 1, 0, 0, 1, 0, 1, 0, 0]);
      }),
    );
  });
});
