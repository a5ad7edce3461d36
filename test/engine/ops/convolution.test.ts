import {
  conv2d,
  conv2dTranspose,
  conv3d,
  depthwiseConv2d,
  type ConvOptions,
} from '../../../src/engine/ops/index.js';
import type { Tensor4D } from '../../../src/engine/tf.js';
import { checkOps, type OpCase } from '../gradient-check.js';

const convolution = (name: string, filter: number[], options: ConvOptions): OpCase => ({
  name,
  inputs: [{ shape: [1, 4, 5, 4] }, { shape: filter }],
  run: (x, kernel) => conv2d(x as Tensor4D, kernel as Tensor4D, options),
});

const depthwise = (name: string, filter: number[], options: ConvOptions): OpCase => ({
  name,
  inputs: [{ shape: [1, 4, 5, 4] }, { shape: filter }],
  run: (x, kernel) => depthwiseConv2d(x as Tensor4D, kernel as Tensor4D, options),
});

const ONE_SIDED = [
  [1, 0],
  [2, 1],
] as const;

checkOps('convolution', [
  convolution('a convolution', [3, 2, 4, 3], {}),
  convolution('a pointwise convolution', [1, 1, 4, 3], { padding: 'valid' }),
  convolution('a strided convolution', [3, 3, 4, 2], { stride: 2 }),
  convolution('an unpadded strided convolution', [2, 3, 4, 2], { stride: 2, padding: 'valid' }),
  convolution('a convolution padded by numbers', [3, 3, 4, 2], { stride: 2, padding: ONE_SIDED }),
  convolution('a dilated convolution', [3, 2, 4, 2], { dilation: 2 }),
  convolution('a grouped convolution', [3, 2, 2, 6], { groups: 2 }),
  depthwise('a depthwise convolution', [3, 2, 4, 1], {}),
  depthwise('a strided depthwise convolution', [3, 3, 4, 1], { stride: 2 }),
  depthwise('a depthwise convolution padded by numbers', [3, 3, 4, 1], { stride: 2, padding: ONE_SIDED }),
  depthwise('a dilated depthwise convolution', [3, 2, 4, 1], { dilation: 2 }),
]);

checkOps('transposed convolution', [
  {
    name: 'a transposed convolution without overlap',
    inputs: [{ shape: [2, 2, 3, 3] }, { shape: [2, 2, 4, 3] }],
    run: (x, filter) => conv2dTranspose(x!, filter!, { stride: 2 }),
  },
  {
    name: 'a transposed convolution to many channels without overlap',
    inputs: [{ shape: [1, 2, 3, 2] }, { shape: [2, 2, 17, 2] }],
    run: (x, filter) => conv2dTranspose(x!, filter!, { stride: 2 }),
  },
  {
    name: 'a cut transposed convolution without overlap, higher than wide',
    inputs: [{ shape: [2, 3, 2, 3] }, { shape: [3, 2, 2, 3] }],
    run: (x, filter) => conv2dTranspose(x!, filter!, { stride: [3, 2], padding: [1, 0] }),
  },
  {
    name: 'a padded transposed convolution',
    inputs: [{ shape: [2, 2, 3, 3] }, { shape: [4, 3, 2, 3] }],
    run: (x, filter) => conv2dTranspose(x!, filter!, { stride: [2, 1], padding: 1 }),
  },
  {
    name: 'a transposed convolution with output padding',
    inputs: [{ shape: [2, 2, 3, 3] }, { shape: [3, 3, 2, 3] }],
    run: (x, filter) => conv2dTranspose(x!, filter!, { stride: 2, padding: 1, outputPadding: 1 }),
  },
]);

checkOps('3-D convolution', [
  {
    name: 'a 3-D convolution',
    inputs: [{ shape: [1, 3, 3, 4, 2] }, { shape: [2, 3, 2, 2, 3] }],
    run: (x, filter) => conv3d(x!, filter!),
  },
  {
    name: 'a padded and strided 3-D convolution',
    inputs: [{ shape: [1, 2, 4, 5, 2] }, { shape: [1, 3, 3, 2, 3] }],
    run: (x, filter) => conv3d(x!, filter!, { stride: [1, 2, 2], padding: [0, 1, 1] }),
  },
  {
    name: 'a patch embedding with a remainder left out',
    inputs: [{ shape: [1, 2, 4, 7, 2] }, { shape: [1, 2, 3, 2, 3] }],
    run: (x, filter) => conv3d(x!, filter!, { stride: [1, 2, 3] }),
  },
]);
