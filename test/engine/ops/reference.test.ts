import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as ops from '../../../src/engine/ops/index.js';
import { tf, type Tensor, type Tensor4D } from '../../../src/engine/tf.js';
import { describeBackends, onBackend } from '../backends.js';
import { largest, largestDifference } from '../gradient-check.js';

interface Packed {
  readonly shape: number[];
  readonly values: number[];
}

interface Reference {
  readonly name: string;
  readonly inputs: Packed[];
  readonly output: Packed;
  readonly gradients: Packed[];
}

const file = new URL('../../fixtures/engine-ops/reference.json', import.meta.url);
const references = (JSON.parse(readFileSync(file, 'utf8')) as { cases: Reference[] }).cases;

/** The float32 noise of the reference itself is below 1e-6 of the largest value; sums run in another order here. */
const TOLERANCE = 1e-5;

/** The same ops in our words; resizing is read off its name: mode, aligned corners, antialias, height, width. */
const OURS: Readonly<Record<string, (...inputs: Tensor[]) => Tensor>> = {
  'scaled bilinear': (x) => ops.resize(x!, [7, 10], { mode: 'bilinear', scale: [1.5, 1.5] }),
  'scaled bicubic': (x) => ops.resize(x!, [6, 4], { mode: 'bicubic', scale: [1.3, 0.6] }),
  'scaled nearest': (x) => ops.resize(x!, [6, 4], { mode: 'nearest', scale: [1.3, 0.6] }),
  'max pool': (x) => ops.maxPool2d(x!, { kernel: 3, stride: 2, padding: 1 }),
  'avg pool': (x) => ops.avgPool2d(x!, { kernel: 3, stride: 2, padding: 1 }),
  'avg pool inside': (x) => ops.avgPool2d(x!, { kernel: 3, stride: 2, padding: 1, countPadding: false }),
  'adaptive avg pool': (x) => ops.adaptiveAvgPool2d(x!, [2, 3]),
  'adaptive max pool': (x) => ops.adaptiveMaxPool2d(x!, [2, 3]),
  'reflect pad': (x) =>
    ops.mirrorPad(
      x!,
      [
        [0, 0],
        [2, 4],
        [3, 1],
        [0, 0],
      ],
      'reflect',
    ),
  'pixel shuffle': (x) => ops.pixelShuffle(x!, 2),
  'pixel unshuffle': (x) => ops.pixelUnshuffle(x!, 2),
  'layer norm': (x, scale, offset) => ops.layerNorm(x!, scale!, offset!, 1e-6),
  'group norm': (x, scale, offset) => ops.groupNorm(x!, scale!, offset!, { groups: 2, epsilon: 1e-5 }),
  normalize: (x) => ops.l2Normalize(x!),
  gelu: (x) => ops.gelu(x!),
  'gelu tanh': (x) => ops.geluTanh(x!),
  silu: (x) => ops.silu(x!),
  softmax: (x) => ops.softmax(x!),
  'log softmax': (x) => ops.logSoftmax(x!, 0),
  roll: (x) => ops.roll(x!, [-1, 2], [0, 1]),
  cumsum: (x) => ops.cumsum(x!, 0),
  'conv transpose': (x, filter) =>
    ops.conv2dTranspose(x!, filter!, { stride: 2, padding: 1, outputPadding: 1 }),
  conv3d: (x, filter) => ops.conv3d(x!, filter!, { stride: [1, 2, 2], padding: [0, 1, 1] }),
  'conv3d patches': (x, filter) => ops.conv3d(x!, filter!, { stride: [1, 2, 3] }),
  'grouped conv': (x, filter) =>
    ops.conv2d(x as Tensor4D, filter as Tensor4D, { stride: 2, padding: evenly(1), groups: 2 }),
  'dilated conv': (x, filter) =>
    ops.conv2d(x as Tensor4D, filter as Tensor4D, { padding: evenly(2), dilation: 2 }),
};

const evenly = (side: number): ops.ExplicitPadding => [
  [side, side],
  [side, side],
];

function ours(name: string): (...inputs: Tensor[]) => Tensor {
  const [mode, alignCorners, antialias, height, width] = name.split(' ');
  if (height === undefined) return OURS[name]!;
  return (x) =>
    ops.resize(x!, [Number(height), Number(width)], {
      mode: mode as ops.ResizeMode,
      alignCorners: alignCorners === 'true',
      antialias: antialias === 'true',
    });
}

describeBackends('values and gradients of PyTorch', (backend) => {
  it.each(references)('$name', ({ name, inputs, output, gradients }) => {
    const unpack = ({ shape, values }: Packed): Tensor => tf.tensor(Float32Array.from(values), shape);
    onBackend(backend, () =>
      tf.tidy(() => {
        const run = ours(name);
        const operands = inputs.map(unpack);
        const size = output.values.length;
        const upstream = Float32Array.from({ length: size }, (_, i) => -1 + (2 * i) / (size - 1));
        const y = run(...operands);
        expect(y.shape).toEqual(output.shape);
        expectClose(y, output);
        const slopes = tf.grads(run)(operands, tf.tensor(upstream, output.shape));
        for (const [index, slope] of slopes.entries()) expectClose(slope, gradients[index]!);
      }),
    );
  });
});

function expectClose(actual: Tensor, { shape, values }: Packed): void {
  expect(actual.shape).toEqual(shape);
  const expected = Float32Array.from(values);
  const difference = largestDifference(Float32Array.from(actual.dataSync()), expected);
  expect(difference).toBeLessThan(TOLERANCE * largest(expected));
}
