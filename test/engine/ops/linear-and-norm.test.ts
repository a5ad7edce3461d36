import {
  addBias,
  batchNorm,
  batchNormTraining,
  crossEntropy,
  groupNorm,
  l2Normalize,
  layerNorm,
  linear,
  matMul,
  sparseCrossEntropy,
} from '../../../src/engine/ops/index.js';
import { tf, type Tensor1D, type Tensor2D, type Tensor4D } from '../../../src/engine/tf.js';
import { checkOps } from '../gradient-check.js';

checkOps('products', [
  {
    name: 'a linear layer over three axes',
    inputs: [{ shape: [2, 3, 4] }, { shape: [4, 5] }, { shape: [5] }],
    run: (x, kernel, bias) => linear(x!, kernel!, bias),
  },
  {
    name: 'a linear layer without bias over one axis',
    inputs: [{ shape: [4] }, { shape: [4, 5] }],
    run: (x, kernel) => linear(x!, kernel!),
  },
  { name: 'a bias', inputs: [{ shape: [2, 3, 4, 5] }, { shape: [5] }], run: (x, bias) => addBias(x!, bias!) },
  {
    name: 'a batched product',
    inputs: [{ shape: [2, 3, 2, 4] }, { shape: [2, 3, 5, 4] }],
    run: (a, b) => matMul(a!, b!, { transposeB: true }),
  },
  {
    name: 'a batched product with one matrix',
    inputs: [{ shape: [2, 3, 4] }, { shape: [5, 4] }],
    run: (a, b) => matMul(a!, b!, { transposeB: true }),
  },
  {
    name: 'a batched product that spreads a batch of one',
    inputs: [{ shape: [1, 4, 3] }, { shape: [2, 4, 5] }],
    run: (a, b) => matMul(a!, b!, { transposeA: true }),
  },
  {
    name: 'a product of one matrix with a batch',
    inputs: [{ shape: [3, 4] }, { shape: [2, 4, 5] }],
    run: (a, b) => matMul(a!, b!),
  },
]);

const CHANNELS = { shape: [6] };
/** Variances must be positive and away from 0. */
const VARIANCE = { shape: [6], values: [0.5, 1, 2, 0.3, 1.5, 0.8] };

checkOps('normalisation', [
  {
    name: 'layer norm',
    inputs: [{ shape: [2, 3, 6] }, CHANNELS, CHANNELS],
    run: (x, scale, offset) => layerNorm(x!, scale!, offset!, 1e-6),
  },
  {
    name: 'group norm',
    inputs: [{ shape: [2, 2, 3, 6] }, CHANNELS, CHANNELS],
    run: (x, scale, offset) => groupNorm(x!, scale!, offset!, { groups: 2, epsilon: 1e-5 }),
  },
  { name: 'L2 normalisation', inputs: [{ shape: [3, 6] }], run: (x) => l2Normalize(x!) },
  { name: 'L2 normalisation of the first axis', inputs: [{ shape: [3, 6] }], run: (x) => l2Normalize(x!, 0) },
  {
    name: 'batch norm with given statistics',
    inputs: [
      { shape: [2, 2, 3, 6] },
      { shape: [6], values: [0, 1, -1, 0.5, 2, 3] },
      VARIANCE,
      CHANNELS,
      CHANNELS,
    ],
    run: (x, mean, variance, scale, offset) =>
      batchNorm(
        x as Tensor4D,
        mean as Tensor1D,
        variance as Tensor1D,
        scale as Tensor1D,
        offset as Tensor1D,
        1e-5,
      ),
  },
  {
    name: 'batch norm with the statistics of the batch',
    inputs: [{ shape: [2, 2, 3, 6] }, CHANNELS, CHANNELS],
    run: (x, scale, offset) => {
      const running = { mean: tf.zeros([6]) as Tensor1D, variance: tf.ones([6]) as Tensor1D, momentum: 0.1 };
      const { y, mean, variance } = batchNormTraining(
        x as Tensor4D,
        scale as Tensor1D,
        offset as Tensor1D,
        1e-5,
        running,
      );
      tf.dispose([running.mean, running.variance]);
      mean.dispose();
      variance.dispose();
      return y;
    },
  },
]);

const LABELS = { shape: [5], values: [2, 0, 1, 2, 2], dtype: 'int32' } as const;

checkOps('cross entropy', [
  {
    name: 'cross entropy by row',
    inputs: [{ shape: [5, 3] }, LABELS],
    run: (logits, labels) => sparseCrossEntropy(logits as Tensor2D, labels as Tensor1D),
  },
  {
    name: 'weighted cross entropy',
    inputs: [{ shape: [5, 3] }, LABELS, { shape: [5], values: [1, 0, 0.5, 2, 1] }],
    run: (logits, labels, weights) =>
      crossEntropy(logits as Tensor2D, labels as Tensor1D, weights as Tensor1D),
  },
]);
