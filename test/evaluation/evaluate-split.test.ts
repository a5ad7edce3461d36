import { afterEach, beforeAll, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { evaluateSplit } from '../../src/evaluation/evaluate-split.js';
import { createMetric } from '../../src/metrics/create-metric.js';
import { encodingSource } from '../../src/training/input-source.js';
import { buildTinyModel, tinyFeed, tinyProtocol } from '../support/tiny-run.js';

beforeAll(() => startEngine());
afterEach(() => new Promise((resolve) => setImmediate(resolve)));

it('of a model that answers NaN is refused by name: its maps would else be of the first class', async () => {
  const model = await buildTinyModel();
  const evaluate = async (added: number): Promise<unknown> =>
    evaluateSplit('val', 'whole', {
      ...{ feed: await tinyFeed(), source: encodingSource(model), task: 'segmentation', size: null },
      model: {
        ...model,
        decode: { ...model.decode, forward: (...given) => tf.add(model.decode.forward(...given), added) },
      },
      protocol: tinyProtocol,
      newMetric: () => createMetric('segmentation', { classCount: 2 }),
      ...{ loss: null, mode: 'corrected', breathe: () => Promise.resolve() },
    });
  await expect(evaluate(0)).resolves.toMatchObject({ inputCount: 4 });
  await expect(evaluate(NaN)).rejects.toMatchObject({
    ...{ code: 'OUTPUT_NOT_FINITE', where: 'split val, val-0' },
  });
  model.dispose();
});
