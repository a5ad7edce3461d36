import { expect, it } from 'vitest';
import {
  cumsum,
  gather,
  gatherND,
  nonMaxSuppression,
  roll,
  scatterAdd,
  stridedSlice,
  takeAlongLastAxis,
  topK,
} from '../../../src/engine/ops/index.js';
import { tf } from '../../../src/engine/tf.js';
import { describeBackends, onBackend } from '../backends.js';
import { checkOps, type OpCase } from '../gradient-check.js';

const X = { shape: [3, 4, 5] };

checkOps('gathering', [
  ...[0, 1, -1].map((axis): OpCase => ({
    name: `gathering with repeats along axis ${axis}`,
    inputs: [X, { shape: [2, 3], values: [2, 0, 2, 1, 1, 2], dtype: 'int32' }],
    run: (x, indices) => gather(x!, indices!, axis),
  })),
  {
    name: 'gathering rows at coordinates',
    inputs: [X, { shape: [3, 2], values: [2, 1, 0, 3, 2, 1], dtype: 'int32' }],
    run: (x, indices) => gatherND(x!, indices!),
  },
  {
    name: 'gathering elements at coordinates',
    inputs: [X, { shape: [2, 2, 3], values: [2, 1, 4, 0, 3, 0, 2, 1, 4, 1, 1, 1], dtype: 'int32' }],
    run: (x, indices) => gatherND(x!, indices!),
  },
  {
    name: 'adding rows up',
    inputs: [X, { shape: [3], values: [1, 3, 1], dtype: 'int32' }],
    run: (updates, indices) => scatterAdd(updates!, indices!, 5),
  },
  {
    name: 'taking along the last axis',
    inputs: [{ shape: [2, 4] }, { shape: [2, 3], values: [3, 0, 3, 1, 2, 0], dtype: 'int32' }],
    run: (x, indices) => takeAlongLastAxis(x!, indices!),
  },
  {
    name: 'the largest elements',
    inputs: [{ shape: [3, 6], values: 'spaced' }],
    run: (x) => {
      const { values, indices } = topK(x!, 2);
      indices.dispose();
      return values;
    },
  },
]);

checkOps('slicing', [
  {
    name: 'a strided slice',
    inputs: [X],
    run: (x) => stridedSlice(x!, [0, 1, 0], [3, 4, 5], [2, 2, 3]),
  },
  {
    name: 'a strided slice that stops early',
    inputs: [X],
    run: (x) => stridedSlice(x!, [1, 0, 1], [2, 3, 5], [1, 2, 2]),
  },
  { name: 'rolling', inputs: [X], run: (x) => roll(x!, [-1, 7], [1, 2]) },
  { name: 'rolling by nothing', inputs: [X], run: (x) => roll(x!, [4], [1]) },
  ...[0, 1, 2].map((axis): OpCase => ({
    name: `a running sum along axis ${axis}`,
    inputs: [X],
    run: (x) => cumsum(x!, axis),
  })),
  {
    name: 'an exclusive running sum from the end',
    inputs: [X],
    run: (x) => cumsum(x!, 1, { exclusive: true, reverse: true }),
  },
]);

describeBackends('suppression', (backend) => {
  // 0 and 1 share 2/3, 0 and 2 share exactly 1/2, 3 lies apart
  const boxes = [
    [0, 0, 4, 6],
    [0, 0, 4, 4],
    [0, 3, 4, 6],
    [9, 9, 12, 12],
  ];
  const scores = [0.5, 0.9, 0.9, 0.1];
  const keep = (options: Parameters<typeof nonMaxSuppression>[2], only = [0, 1, 2, 3]): number[] =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const [some, ofThem] = [only.map((box) => boxes[box]!), only.map((box) => scores[box]!)];
        return [...nonMaxSuppression(tf.tensor2d(some), tf.tensor1d(ofThem), options).dataSync()];
      }),
    );

  it('keeps the better box, and of equal scores the earlier', () => {
    expect(keep({ iouThreshold: 0.4 })).toEqual([1, 2, 3]);
  });
  it('drops a box only above the threshold', () => {
    expect(keep({ iouThreshold: 0.5 }, [0, 2])).toEqual([1, 0]);
    expect(keep({ iouThreshold: 0.499 }, [0, 2])).toEqual([1]);
  });
  it('leaves out low scores and stops at the count', () => {
    expect(keep({ iouThreshold: 0.7, scoreThreshold: 0.2 })).toEqual([1, 2, 0]);
    expect(keep({ iouThreshold: 0.7, maxCount: 1 })).toEqual([1]);
  });
  it('compares boxes of one class only', () => {
    const classes = onBackend(backend, () => tf.tensor1d([1, 0, 0, 0], 'int32'));
    // 1 and 2 share 1/6; 0 is of another class
    expect(keep({ iouThreshold: 0.1, classes })).toEqual([1, 0, 3]);
    classes.dispose();
  });
});
