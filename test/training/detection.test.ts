import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { evaluateObjects } from '../../src/evaluation/evaluate-objects.js';
import { objectMetric } from '../../src/metrics/object-metric.js';
import { createRandom } from '../../src/random.js';
import { objectsOf } from '../../src/training/answer.js';
import { detectionLoss } from '../../src/training/detection-loss.js';
import { FeatureStore } from '../../src/training/feature-store.js';
import { encodingSource, keptSource } from '../../src/training/input-source.js';
import { train, type TrainingOptions, type TrainingOutcome } from '../../src/training/trainer.js';
import { RunProgress } from '../../src/training/training-state.js';
import { tempFolder } from '../support/temp-folder.js';
import { buildSquareDetector, squareFeed, tinySquares } from '../support/tiny-objects.js';
import { tinyProtocol } from '../support/tiny-run.js';

beforeAll(() => startEngine());
afterEach(() => new Promise((resolve) => setImmediate(resolve)));

const SOURCE = ['detection', 'instance_segmentation'] as const;

interface Trained {
  readonly losses: number[];
  readonly outcome: TrainingOutcome | undefined;
  readonly weights: number[];
}

async function trained(
  task: (typeof SOURCE)[number],
  change: Partial<TrainingOptions> = {},
): Promise<Trained> {
  const feed = await squareFeed(tinySquares(task));
  const model = await buildSquareDetector(feed);
  const losses: number[] = [];
  const outcome = await train({
    ...{ model, feed, source: encodingSource(model), loss: detectionLoss(model) },
    ...{ isFrozen: false, random: createRandom(0), isHigherBetter: true, progress: null },
    protocol: { ...tinyProtocol, batchSize: 2, epochs: 2 },
    validate: () => Promise.resolve({ score: 0.5, loss: null }),
    onStep: ({ loss }) => losses.push(loss),
    breathe: () => Promise.resolve(),
    ...change,
  }).catch((error: unknown) => {
    if ((error as Error).message !== 'stop') throw error;
    return undefined;
  });
  const weights = model.parameters.all.flatMap(({ variable }) => [...variable.dataSync()]);
  model.dispose();
  return { losses, outcome, weights };
}

describe('a detector', () => {
  it.each(SOURCE)(
    'of %s that is stopped goes on to the same losses and weights, to the bit',
    async (task) => {
      const whole = await trained(task);
      expect(whole.losses).toHaveLength(4);
      expect(whole.losses.every(Number.isFinite)).toBe(true);
      const file = path.join(tempFolder(), 'progress.safetensors');
      const progress = (): RunProgress => new RunProgress(file, { isDue: () => true });
      let steps = 0;
      const breathe = (): Promise<void> =>
        ++steps === 3 ? Promise.reject(new Error('stop')) : Promise.resolve();
      const first = await trained(task, { progress: progress(), breathe });
      const second = await trained(task, { progress: progress() });
      expect([...first.losses, ...second.losses]).toEqual(whole.losses);
      expect(second.weights).toEqual(whole.weights);
    },
  );

  it('leaves no tensor behind in training and evaluation', async () => {
    const feed = await squareFeed(tinySquares('instance_segmentation'));
    const model = await buildSquareDetector(feed);
    const before = tf.memory().numTensors;
    const result = await evaluateObjects('val', 'whole', {
      ...{ model, feed, source: encodingSource(model), protocol: { batchSize: 3, windowStride: null } },
      ...{ size: null, needsLoss: true, likelyBoxesAlone: false, breathe: () => Promise.resolve() },
      newMetric: () => objectMetric({ task: 'instance_segmentation', classCount: 2 }),
    });
    expect(tf.memory().numTensors).toBe(before);
    expect(result).toMatchObject({ inputCount: 4, answerCount: 0 + 1 + 2 + 3 });
    expect(Number.isFinite(result.loss)).toBe(true);
    model.dispose();
  });

  it('gets the same answers with features that a folder kept', async () => {
    const feed = await squareFeed(tinySquares('instance_segmentation'));
    const model = await buildSquareDetector(feed);
    const folder = tempFolder();
    const load = async () => {
      const source = keptSource(model, new FeatureStore({ folder, key: 'key', memoryBytes: 0 }));
      const items = feed.mirrored(await feed.trainingItems());
      return source.load(items.map((item) => feed.request(item)));
    };
    const computed = await load();
    const read = await load();
    expect(read.map(({ answer }) => answer)).toEqual(computed.map(({ answer }) => answer));
    const [upright, across] = computed.slice(-4).map(({ answer }) => objectsOf(answer).objects[0]!);
    expect(across!.box[0]).toBe(64 - upright!.box[0] - upright!.box[2]);
    model.dispose();
  });

  it('learns squares well enough to find them', { timeout: 60_000 }, async () => {
    const feed = await squareFeed();
    const model = await buildSquareDetector(feed);
    const source = encodingSource(model);
    let validations = 0;
    await train({
      ...{ model, feed, source, loss: detectionLoss(model) },
      ...{ isFrozen: false, random: createRandom(0), isHigherBetter: true, progress: null },
      protocol: { ...tinyProtocol, batchSize: 4, epochs: 60, learningRate: 0.01 },
      validate: () => Promise.resolve({ score: ++validations, loss: null }), // the last weights are kept
      breathe: () => Promise.resolve(),
    });
    const { total } = await evaluateObjects('val', 'whole', {
      ...{ model, feed, source, protocol: { batchSize: 4, windowStride: null } },
      ...{ size: null, needsLoss: false, likelyBoxesAlone: false, breathe: () => Promise.resolve() },
      newMetric: () => objectMetric({ task: 'detection', classCount: 2 }),
    });
    // boxes of the mean size at random find next to nothing
    expect(total.scores()['AP50']).toBeGreaterThan(0.5);
    model.dispose();
  });
});
