import { expect, it } from 'vitest';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { batchNormalization } from '../../src/layers/batch-normalization.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { describeBackends, onBackend } from '../engine/backends.js';

const values = [1, 5, 2, 9, -3, 4, 0, 7, 2.5, -6, 8, 3];

describeBackends('batch normalisation', (backend) => {
  it('in training normalises by the batch and moves its statistics as PyTorch does', () =>
    onBackend(backend, () => {
      const store = new ParameterStore();
      const layer = batchNormalization(createScope(store, createRandom(0)), { channels: 2, momentum: 0.1 });
      const images = tf.tensor4d(values, [1, 2, 3, 2]);
      const alive = tf.memory().numTensors;
      const y = layer(images, { training: true });
      const [mean, variance] = ['mean', 'variance'].map((name) => [
        ...store.all.find((parameter) => parameter.name === name)!.variable.dataSync(),
      ]);
      // by hand: means 10.5/6 and 22/6; unbiased variances; 0.9 · start + 0.1 · batch
      const channel = (index: number): number[] => values.filter((_, i) => i % 2 === index);
      for (const index of [0, 1]) {
        const x = channel(index);
        const average = x.reduce((a, b) => a + b) / 6;
        const squares = x.reduce((a, b) => a + (b - average) ** 2, 0);
        expect(mean![index]).toBeCloseTo(0.1 * average, 5);
        expect(variance![index]).toBeCloseTo(0.9 + (0.1 * squares) / 5, 5);
        expect(y.dataSync()[index]).toBeCloseTo((x[0]! - average) / Math.sqrt(squares / 6 + 1e-5), 4);
      }
      y.dispose();
      expect(tf.memory().numTensors).toBe(alive);
      images.dispose();
      store.dispose();
    }));

  it('in evaluation uses the running statistics and changes nothing', () =>
    onBackend(backend, () => {
      const store = new ParameterStore();
      const layer = batchNormalization(createScope(store, createRandom(0)), { channels: 2, epsilon: 0.001 });
      const images = tf.tensor4d(values, [1, 2, 3, 2]) as Tensor4D;
      const y = layer(images, { training: false });
      expect(y.dataSync()[3]).toBeCloseTo(9 / Math.sqrt(1.001), 5);
      expect([...store.all[2]!.variable.dataSync()]).toEqual([0, 0]);
      tf.dispose([y, images]);
      store.dispose();
    }));
});
