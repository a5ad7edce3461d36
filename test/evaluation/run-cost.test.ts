import { beforeAll, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { forwardCost } from '../../src/evaluation/run-cost.js';
import { buildTinyModel, tinyFeed } from '../support/tiny-run.js';

beforeAll(() => startEngine());

it('counts encoder and decoder of a built model, and leaves engine and model as they were', async () => {
  const model = await buildTinyModel();
  const feed = await tinyFeed();
  const [item] = await feed.samples('train');
  const { input } = await feed.read(item!);
  const forward = () =>
    tf.tidy(() => {
      const maps = model.encode([input], { training: false });
      return [...model.decode.forward(maps, { height: 8, width: 12 }, { training: false }).dataSync()];
    });
  const before = forward();
  const [backend, tensors] = [tf.getBackend(), tf.memory().numTensors];
  const cost = forwardCost(model, input)!;
  const { shape } = model.parameters.under('decoder')[0]!.variable;
  const [map] = tf.tidy(() => model.encode([input], { training: false }).map((one) => one.shape));
  // a 1 × 1 convolution: channels × classes at each pixel of the map
  expect(cost.decoder).toBe(map![1]! * map![2]! * shape[2]! * shape[3]!);
  expect(cost.encoder).toBeGreaterThan(0);
  expect([tf.getBackend(), tf.memory().numTensors]).toEqual([backend, tensors]);
  expect(forward()).toEqual(before);
  model.dispose();
});
