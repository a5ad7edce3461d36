import { beforeAll, expect, it } from 'vitest';
import { startEngine } from '../../../src/engine/engine.js';
import { cropAndResize } from '../../../src/engine/ops/index.js';
import { tf, type Tensor } from '../../../src/engine/tf.js';
import { createRandom, fillUniform } from '../../../src/random.js';

beforeAll(() => startEngine());

it('gradients of crops that overlap are the same at every call', () => {
  const random = createRandom(0);
  const boxCount = 256;
  const drawn = (...shape: number[]): Tensor =>
    tf.tensor(
      fillUniform(new Float32Array(shape.reduce((a, b) => a * b)), random, (uniform) => uniform),
      shape,
    );
  const [images, weights] = [drawn(1, 24, 32, 16), drawn(boxCount, 7, 7, 16)];
  const boxes = tf.tensor2d(
    Array.from({ length: boxCount }, (_, box) => [0.1, 0.1 + box / 1e4, 0.8, 0.9]),
    [boxCount, 4],
  );
  const indices = tf.zeros([boxCount], 'int32');
  const gradient = (): number[] =>
    tf.tidy(() => {
      const crops = (map: Tensor): Tensor => cropAndResize(map, boxes, indices, [7, 7]);
      const [values] = tf.grads((map: Tensor) => tf.sum(tf.mul(crops(map), weights)))([images]);
      return [...values!.dataSync()];
    });
  const first = gradient();
  for (let turn = 0; turn < 20; turn++) expect(gradient()).toEqual(first);
});
