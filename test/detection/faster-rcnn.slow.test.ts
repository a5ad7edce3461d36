import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDetector, type Detector } from '../../src/detection/faster-rcnn.js';
import { geoBench2Detector, geoBench2Kept } from '../../src/detection/geobench2-detector.js';
import { AS_PUBLISHED } from '../../src/encoders/define-encoder.js';
import type { BuiltEncoder } from '../../src/encoders/encoder.js';
import { resnet } from '../../src/encoders/resnet.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Scalar, type Tensor4D } from '../../src/engine/tf.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { createOptimizer } from '../../src/training/optimizers/create-optimizer.js';

const [HEIGHT, WIDTH] = [64, 96];
const frames = {
  sizes: [
    [HEIGHT, WIDTH],
    [HEIGHT, WIDTH],
  ],
  batchSize: [HEIGHT, WIDTH],
} as const;
const squares = [Float32Array.of(8, 16, 28, 36, 60, 30, 80, 50), Float32Array.of(40, 10, 60, 30)];

/** Bright squares on a dark ground, as many as each image has. */
const picture = (): Tensor4D => {
  const pixels = new Float32Array(2 * HEIGHT * WIDTH * 3);
  for (const [image, boxes] of squares.entries())
    for (let box = 0; box < boxes.length; box += 4)
      for (let row = boxes[box + 1]!; row < boxes[box + 3]!; row++)
        pixels.fill(
          1,
          ((image * HEIGHT + row) * WIDTH + boxes[box]!) * 3,
          ((image * HEIGHT + row) * WIDTH + boxes[box + 2]!) * 3,
        );
  return tf.tensor4d(pixels, [2, HEIGHT, WIDTH, 3]);
};

describe('Faster R-CNN on an encoder', () => {
  const store = new ParameterStore();
  let encoder: BuiltEncoder;
  let detector: Detector;

  beforeAll(async () => {
    await startEngine();
    const scope = createScope(store, createRandom(1));
    encoder = resnet.build(
      scope.child('encoder'),
      { block: 'basic', depths: [1, 1, 1, 1], widths: [8, 8, 16, 16], stemWidth: 8 },
      AS_PUBLISHED,
    );
    const channels = encoder.features.map((feature) => feature.channels);
    detector = buildDetector(scope.child('detector'), {
      ...geoBench2Detector({ channels, classCount: 2 }),
      ...{ pyramidChannels: 16, headWidth: 32 },
      anchors: [16, 24, 32, 48].map((size) => ({ sizes: [size], aspectRatios: [1] })),
    });
  });
  afterAll(() => store.dispose());

  it('learns a tiny batch, and no tensor is left behind', { timeout: 120_000 }, () => {
    const images = picture();
    const trained = store.all.filter(({ role }) => role !== 'statistic');
    const optimizer = createOptimizer({
      name: 'adam',
      groups: [{ parameters: trained, learningRate: 3e-3, weightDecay: 0 }],
    });
    const random = createRandom(2);
    const targets = squares.map((boxes) => ({
      boxes,
      labels: Array.from({ length: boxes.length / 4 }, () => 1),
    }));
    const step = (): number => {
      const { value, grads } = tf.variableGrads(
        () =>
          tf.tidy(() => {
            const maps = encoder.forward({ images: { image: images } }, { training: true }) as Tensor4D[];
            const losses = detector.losses(maps, frames, targets, { training: true }, random.permutation);
            return tf.addN(Object.values(losses) as Scalar[]) as Scalar;
          }),
        trained.map(({ variable }) => variable),
      );
      optimizer.step(trained.map(({ variable }) => grads[variable.name]!));
      const loss = value.dataSync()[0]!;
      tf.dispose([value, ...Object.values(grads)]);
      return loss;
    };
    const losses = [step(), step()];
    const before = tf.memory().numTensors;
    while (losses.length < 100) losses.push(step());
    expect(tf.memory().numTensors).toBe(before);
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 2);

    const maps = encoder.forward({ images: { image: images } }, { training: true }) as Tensor4D[];
    const found = detector.detect(maps, frames, { training: false });
    tf.dispose([...maps, images]);
    optimizer.dispose();
    // the best box of the second image lies on its only square, to a few pixels
    const [left, top, right, bottom] = found[1]!.boxes;
    for (const [side, expected] of [
      [left, 40],
      [top, 10],
      [right, 60],
      [bottom, 30],
    ])
      expect(Math.abs(side! - expected!)).toBeLessThan(5);
    expect(found[1]!.scores[0]).toBeGreaterThan(0.5);
  });

  it('loses boxes below a half and across classes by the published rule', () => {
    // the second is of another class than the first
    const kept = geoBench2Kept({
      boxes: Float32Array.of(0, 0, 10, 10, 0, 0, 10, 9, 20, 0, 30, 7, 40, 0, 50, 9),
      scores: Float32Array.of(0.9, 0.8, 0.7, 0.4),
    });
    expect(kept).toEqual([0, 2]);
  });

  it('trains on images without objects', () => {
    const none = [0, 1].map(() => ({ boxes: new Float32Array(0), labels: [] }));
    const losses = tf.tidy(() => {
      const maps = encoder.forward({ images: { image: picture() } }, { training: false }) as Tensor4D[];
      const all = detector.losses(maps, frames, none, { training: true }, createRandom(0).permutation);
      return (Object.values(all) as Scalar[]).map((loss) => loss.dataSync()[0]!);
    });
    for (const loss of losses) expect(Number.isFinite(loss)).toBe(true);
    expect(Math.abs(losses[1]!)).toBe(0); // no box to be moved
  });
});
