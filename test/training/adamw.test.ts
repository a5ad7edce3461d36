import path from 'node:path';
import { expect, it } from 'vitest';
import { tf } from '../../src/engine/tf.js';
import { readReference } from '../../src/parity/compare.js';
import { adamW } from '../../src/training/adamw.js';
import { describeBackends, onBackend } from '../engine/backends.js';

const folder = path.resolve(import.meta.dirname, '../fixtures/parity/optim/adamw');
const [weights, bias, gradients] = await Promise.all(
  ['in_W.npy', 'in_b.npy', 'out_gradients.npy'].map((file) => readReference(folder, file)),
);
const after = await Promise.all(
  [1, 2, 5, 20].map(async (step) => ({
    step,
    W: await readReference(folder, `out_W.step${step}.npy`),
    b: await readReference(folder, `out_b.step${step}.npy`),
  })),
);

describeBackends('AdamW', (backend) => {
  it('moves parameters as PyTorch does, over twenty steps', () =>
    onBackend(backend, () => {
      const tensors = tf.memory().numTensors;
      const parameter = (
        name: string,
        { data, shape }: { data: Float32Array; shape: readonly number[] },
      ) => ({
        name,
        role: 'kernel' as const,
        variable: tf.tidy(() => tf.variable(tf.tensor(data, [...shape]))),
      });
      const parameters = [parameter('W', weights!), parameter('b', bias!)];
      const optimizer = adamW([{ parameters, learningRate: 0.01, weightDecay: 0.05 }]);
      for (let step = 1; step <= 20; step++) {
        tf.tidy(() => {
          const row = gradients!.data.subarray((step - 1) * 15, step * 15);
          optimizer.step([tf.tensor(row.slice(0, 12), [3, 4]), tf.tensor(row.slice(12), [3])]);
        });
        const expected = after.find((entry) => entry.step === step);
        if (!expected) continue;
        // the fixture's own tolerance: 20 times the float32 noise of the reference
        for (const [index, { data }] of [expected.W, expected.b].entries()) {
          const got = parameters[index]!.variable.dataSync();
          for (const [place, value] of data.entries()) {
            expect(Math.abs(got[place]! - value)).toBeLessThanOrEqual(2e-6 + 1e-4 * Math.abs(value));
          }
        }
      }
      optimizer.dispose();
      for (const { variable } of parameters) variable.dispose();
      expect(tf.memory().numTensors).toBe(tensors);
    }));
});
