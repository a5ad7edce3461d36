import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import {
  adaptiveAvgPool2d,
  avgPool2d,
  batchNorm,
  conv2d,
  conv2dTranspose,
  conv3d,
  cumsum,
  depthwiseConv2d,
  gather,
  gelu,
  groupNorm,
  l2Normalize,
  layerNorm,
  linear,
  matMul,
  maxPool2d,
  mirrorPad,
  pixelShuffle,
  resize,
  roll,
  softmax,
  stridedSlice,
  topK,
} from '../../src/engine/ops/index.js';
import { countOperations } from '../../src/engine/shapes/count-operations.js';
import { tf, type Tensor, type Tensor1D, type Tensor4D } from '../../src/engine/tf.js';
import { createValuelessScope, ParameterStore, zeros } from '../../src/layers/parameters.js';

await startEngine();
afterEach(() => tf.disposeVariables());

/** height ≠ width ≠ channels, so that exchanged axes show */
const image = (): Tensor4D => tf.zeros([2, 6, 9, 8]);
const vector = (size: number): Tensor1D => tf.ones([size]);

const ops: Readonly<Record<string, () => Tensor | Tensor[]>> = {
  conv2d: () => conv2d(image(), tf.zeros([3, 3, 8, 5]), { stride: 2 }),
  'conv2d in groups, dilated': () => conv2d(image(), tf.zeros([3, 3, 4, 6]), { groups: 2, dilation: 2 }),
  depthwiseConv2d: () => depthwiseConv2d(image(), tf.zeros([5, 5, 8, 1]), { stride: 2 }),
  conv2dTranspose: () => conv2dTranspose(image(), tf.zeros([4, 4, 3, 8]), { stride: 2, padding: 1 }),
  conv3d: () => conv3d(tf.zeros([2, 3, 6, 9, 4]), tf.zeros([2, 3, 3, 4, 5]), { padding: 1 }),
  'conv3d of patches': () =>
    conv3d(tf.zeros([2, 4, 6, 9, 4]), tf.zeros([2, 3, 3, 4, 5]), { stride: [2, 3, 3] }),
  linear: () => linear(image(), tf.zeros([8, 3]), vector(3)),
  'matMul of batches': () => matMul(tf.zeros([2, 1, 4, 3]), tf.zeros([5, 6, 3]), { transposeB: true }),
  maxPool2d: () => maxPool2d(image(), { kernel: 3, stride: 2, padding: 1 }),
  avgPool2d: () => avgPool2d(image(), { kernel: 2 }),
  adaptiveAvgPool2d: () => adaptiveAvgPool2d(image(), [4, 5]),
  'resize, bilinear': () => resize(image(), [7, 4], { mode: 'bilinear' }),
  'resize, bicubic': () => resize(image(), [7, 4], { mode: 'bicubic', antialias: true }),
  'resize, nearest': () => resize(image(), [7, 4], { mode: 'nearest' }),
  batchNorm: () => batchNorm(image(), vector(8), vector(8), vector(8), vector(8), 1e-5),
  layerNorm: () => layerNorm(image(), vector(8), vector(8), 1e-5),
  groupNorm: () => groupNorm(image(), vector(8), vector(8), { groups: 2, epsilon: 1e-5 }),
  l2Normalize: () => l2Normalize(image()),
  'softmax of a middle axis': () => softmax(image(), 1),
  gelu: () => gelu(image()),
  gather: () => gather(image(), tf.tensor2d([[0, 1, 2]], [1, 3], 'int32'), 2),
  mirrorPad: () =>
    mirrorPad(
      image(),
      [
        [0, 0],
        [1, 2],
        [2, 0],
        [0, 0],
      ],
      'reflect',
    ),
  roll: () => roll(image(), [1, -2], [1, 2]),
  cumsum: () => cumsum(image(), 1),
  stridedSlice: () => stridedSlice(image(), [0, 1, 0, 2], [2, 6, 9, 7], [1, 2, 3, 2]),
  pixelShuffle: () => pixelShuffle(image(), 2),
  topK: () => Object.values(topK(tf.zeros([3, 7]), 2)) as Tensor[],
  'pieces and their order': () => [
    ...tf.split(image(), [2, 3, 4], 2),
    ...tf.unstack(image(), -2),
    tf.stack([image(), image()], 1),
    tf.concat([image(), image()], -1),
    tf.tile(
      tf.pad(image(), [
        [0, 0],
        [1, 2],
        [0, 3],
        [0, 0],
      ]),
      [1, 2, 1, 1],
    ),
    tf.squeeze(tf.expandDims(image(), -1), [-1]),
  ],
  'numbers without images': () => [
    tf.range(1, 8, 2),
    tf.linspace(0, 1, 4),
    tf.oneHot(tf.tensor1d([1, 2], 'int32'), 5),
  ],
  reductions: () => [
    tf.mean(image(), [1, -1], true),
    tf.max(image(), 2),
    tf.argMax(image(), 1),
    tf.any(tf.greater(image(), 0), 0),
  ],
  broadcasting: () =>
    tf.where(tf.less(tf.zeros([9, 1]), vector(8)), tf.sub(image(), vector(8)), tf.scalar(0)),
};

const describeTensors = (made: Tensor | Tensor[]): string[] =>
  [made].flat().map(({ shape, dtype }) => `${dtype} [${shape.join(', ')}]`);

describe('countOperations', () => {
  it.each(Object.entries(ops))('finds the shapes and types that the engine gives: %s', (_, run) => {
    const real = tf.tidy(() => describeTensors(run()));
    expect(countOperations(() => describeTensors(run())).result).toEqual(real);
  });

  const counted = (run: () => unknown) => countOperations(run).counts.get('')!;

  it('counts the multiply–adds of convolutions by what each output pixel meets', () => {
    expect(counted(() => conv2d(image(), tf.zeros([3, 3, 8, 5]), { stride: 2 })).multiplyAdds).toBe(
      2 * 3 * 5 * 5 * (3 * 3 * 8),
    );
    expect(counted(ops.depthwiseConv2d!).multiplyAdds).toBe(2 * 3 * 5 * 8 * (5 * 5));
    expect(counted(ops['conv2d in groups, dilated']!).multiplyAdds).toBe(2 * 6 * 9 * 6 * (3 * 3 * 4));
    expect(counted(ops.conv3d!).multiplyAdds).toBe(2 * 4 * 6 * 9 * 5 * (2 * 3 * 3 * 4));
    expect(counted(ops['conv3d of patches']!).multiplyAdds).toBe(2 * 2 * 2 * 3 * 5 * (2 * 3 * 3 * 4));
  });

  it('counts a transposed convolution by what each input pixel spreads', () => {
    expect(counted(ops.conv2dTranspose!)).toMatchObject({
      multiplyAdds: 2 * 6 * 9 * 8 * (4 * 4 * 3),
      transposedConvolutions: 2 * 6 * 9 * 8 * (4 * 4 * 3),
      activationProducts: 0,
    });
  });

  it('counts resizing as other arithmetic, though engines do it by matrix products', () => {
    expect(counted(ops['resize, bicubic']!)).toMatchObject({
      multiplyAdds: 0,
      otherOperations: 2 * 7 * 4 * 8 * 4,
    });
  });

  it('gives what it counts to parameters, and products of activations to the one before', () => {
    const store = new ParameterStore();
    const { counts } = countOperations((name) => {
      const scope = createValuelessScope(store, name);
      const query = scope.child('query').parameter('kernel', [1, 8, 4], zeros, 'kernel');
      const out = scope.child('out').parameter('kernel', [4, 3], zeros, 'kernel');
      const x = tf.zeros([2, 5, 8]);
      const tokens = linear(x, tf.reshape(query, [8, 4]));
      linear(matMul(matMul(tokens, tokens, { transposeB: true }), tokens), out);
    });
    store.dispose();
    const products = 2 * (2 * 5 * 5 * 4);
    expect(counts.get('query/kernel')).toMatchObject({
      multiplyAdds: 2 * 5 * 8 * 4 + products,
      activationProducts: products,
    });
    expect(counts.get('out/kernel')).toMatchObject({ multiplyAdds: 2 * 5 * 4 * 3, activationProducts: 0 });
  });

  it('takes no memory for parameters, and leaves the engine as it was', () => {
    const [backend, tensors, bytes] = [
      tf.getBackend(),
      tf.memory().numTensors,
      process.memoryUsage().arrayBuffers,
    ];
    const store = new ParameterStore();
    countOperations((name) => {
      const scope = createValuelessScope(store, name);
      // 40 GB
      const kernel = scope.parameter('kernel', [100_000, 100_000], zeros, 'kernel');
      linear(tf.zeros([1, 100_000]), kernel);
    });
    store.dispose();
    expect(process.memoryUsage().arrayBuffers - bytes).toBeLessThan(10e6);
    expect(tf.getBackend()).toBe(backend);
    expect(tf.memory().numTensors).toBe(tensors);
    expect(tf.tidy(() => tf.add(1, 2).dataSync()[0])).toBe(3);
  });

  it('tells that a model which reads values cannot be counted, and leaves the engine as it was', () => {
    const backend = tf.getBackend();
    expect(() => countOperations(() => tf.add(1, 2).dataSync())).toThrow(
      expect.objectContaining({ code: 'COST_UNKNOWN', message: expect.stringContaining('reads values') }),
    );
    expect(() => countOperations(() => tf.fft(tf.complex([1], [1])))).toThrow(
      expect.objectContaining({ code: 'COST_UNKNOWN' }),
    );
    expect(tf.getBackend()).toBe(backend);
    expect(tf.tidy(() => tf.add(1, 2).dataSync()[0])).toBe(3);
  });

  it('passes on what a model throws', () => {
    expect(() => countOperations(() => linear(tf.zeros([2, 3]), tf.zeros([4, 5])))).toThrow();
    expect(() =>
      countOperations(() => {
        throw new RangeError('mine');
      }),
    ).toThrow(RangeError);
  });
});
