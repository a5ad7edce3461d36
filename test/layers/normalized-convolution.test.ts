import { expect, test } from 'vitest';
import { relu } from '../../src/engine/ops/index.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { batchNormalization } from '../../src/layers/batch-normalization.js';
import { convolution, padded } from '../../src/layers/convolution.js';
import { normalizedConvolution } from '../../src/layers/normalized-convolution.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { describeBackends, onBackend } from '../engine/backends.js';

const EVALUATION = { training: false };
const shape = { inChannels: 3, outChannels: 4, kernelSize: 3, stride: 2, padding: padded(1) };

describeBackends('a normalised convolution', (backend) => {
  test.each([true, false])('computes what its layers do one after the other (ReLU: %s)', (isClipped) => {
    onBackend(backend, () => {
      const stores = [new ParameterStore(), new ParameterStore()] as const;
      const [joined, apart] = stores.map((store) => createScope(store, createRandom(1))) as [never, never];
      const build = (scope: ReturnType<typeof createScope>) =>
        [scope.child('conv'), scope.child('bn')] as const;
      const step = normalizedConvolution(build(joined), { ...shape, isClipped, epsilon: 1e-3 });
      const [convScope, normScope] = build(apart);
      const convolve = convolution(convScope, shape);
      const normalize = batchNormalization(normScope, { channels: 4, epsilon: 1e-3 });
      for (const store of stores) {
        // statistics and factors that tell the channels apart, the variance above 0
        store.all.slice(1).forEach(({ variable }, i) => {
          const value = tf.tensor1d([0.5, 1, 1.5, 2].map((each) => each + 0.25 * i));
          variable.assign(value);
          value.dispose();
        });
      }
      const x = tf.randomNormal([2, 7, 5, 3], 0, 1, 'float32', 3) as Tensor4D;
      const added = tf.randomNormal([2, 4, 3, 4], 0, 1, 'float32', 4) as Tensor4D;
      tf.tidy(() => {
        for (const sum of [undefined, added]) {
          const y = normalize(convolve(x, EVALUATION), EVALUATION);
          const whole = sum ? tf.add<Tensor4D>(y, sum) : y;
          const expected = isClipped ? relu(whole) : whole;
          const given = step(x, EVALUATION, sum);
          expect(given.shape).toEqual([2, 4, 3, 4]);
          // float32 sums of 27 products
          expect(tf.max(tf.abs(tf.sub(given, expected))).dataSync()[0]).toBeLessThan(2e-5);
        }
      });
      tf.dispose([x, added]);
      for (const store of stores) store.dispose();
    });
  });
});
