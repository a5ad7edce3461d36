import { expect, test } from 'vitest';
import { withCheckpoints } from '../../src/engine/ops/index.js';
import { tf, type Tensor, type Tensor3D, type Variable } from '../../src/engine/tf.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { transformerBlock } from '../../src/layers/transformer-block.js';
import { createRandom } from '../../src/random.js';
import { describeBackends, onBackend } from '../engine/backends.js';

const DEPTH = 4;
const TOKENS = 24;

describeBackends('a transformer in training', (backend) => {
  test('has the same loss and gradients with checkpoints, and keeps fewer bytes while it runs', () => {
    onBackend(backend, () => {
      const store = new ParameterStore();
      const scope = createScope(store, createRandom(1)).child('model');
      const blocks = Array.from({ length: DEPTH }, (_, index) =>
        transformerBlock(scope.child(index), { width: 8, heads: 2, hidden: 32, normEpsilon: 1e-6 }),
      );
      const x = tf.randomNormal([2, TOKENS, 8], 0, 1, 'float32', 3) as Tensor3D;
      // positions that are learned reach the blocks as the bias of their attention
      const positions = tf.variable(tf.randomNormal([1, 2, TOKENS, TOKENS], 0, 1, 'float32', 4));
      const ownBytes = tf.memory().numBytes; // before a step
      let keptBytes = 0;
      const loss = (): Tensor =>
        tf.tidy(() => {
          const y = blocks.reduce((stream, block) => block(stream, { bias: positions }), x);
          keptBytes = tf.memory().numBytes - ownBytes;
          return y.square().mean();
        });
      const variables: Variable[] = [...store.all.map(({ variable }) => variable), positions];
      const step = () => tf.variableGrads(loss as never, variables);
      const plain = step();
      const plainBytes = keptBytes;
      const tensors = tf.memory().numTensors;
      const sparing = withCheckpoints(step);
      expect(keptBytes).toBeLessThan(plainBytes / 2);
      expect(tf.memory().numTensors - tensors).toBe(variables.length + 1);
      // computed twice by the same ops, on the native engine by fused ones the first time
      expect(sparing.value.dataSync()[0]).toBeCloseTo(plain.value.dataSync()[0]!, 5);
      for (const [name, gradient] of Object.entries(plain.grads)) {
        const size = gradient.abs().max().dataSync()[0]!;
        expect(sparing.grads[name]!.sub(gradient).abs().max().dataSync()[0]).toBeLessThanOrEqual(
          1e-5 * (1 + size),
        );
      }
      tf.dispose([plain as never, sparing as never, x, positions]);
      store.dispose();
    });
  });
});
