import { describe, expect, it } from 'vitest';
import { tf, type Tensor } from '../../src/engine/tf.js';
import { checkSomethingCounts, checkTarget } from '../../src/losses/check-target.js';
import { inverseShareWeights } from '../../src/losses/class-weights.js';
import { createLoss, losses, lossesOf, type LossName } from '../../src/losses/create-loss.js';
import { describeBackends, onBackend } from '../engine/backends.js';
import { largestDifference, normal } from '../engine/gradient-check.js';

const names = Object.keys(losses) as LossName[];

/** [batch, height, width, class] or, of labels and values, the target's shape. */
interface Inputs {
  readonly logits: Tensor;
  readonly target: Tensor;
}

const SHAPE = [2, 3, 2] as const;
const COUNT = 12;
const IGNORED = 2; // a class: it counts for nothing all the same
const CLASSES = 4;

/** Inputs of a loss by what it takes; `ignored` are the elements whose target is the ignore index. */
function inputsOf(name: LossName, ignored: readonly number[]): Inputs {
  const tasks: readonly string[] = losses[name].tasks;
  const isIgnored = (at: number): boolean => ignored.includes(at);
  if (tasks.includes('classification')) {
    const labels = Array.from({ length: COUNT }, (_, at) => (isIgnored(at) ? IGNORED : [0, 1, 3][at % 3]!));
    const logits = tf.tensor4d(normal(COUNT * CLASSES, 1), [...SHAPE, CLASSES]);
    return { logits, target: tf.tensor3d(labels, [...SHAPE], 'int32') };
  }
  const values = tasks.includes('regression')
    ? Array.from(normal(COUNT, 2))
    : Array.from({ length: COUNT }, (_, at) => (at % 3 === 0 ? 1 : 0));
  const target = values.map((value, at) => (isIgnored(at) ? IGNORED : value));
  if (tasks.includes('regression') || tasks.includes('multilabel')) {
    return { logits: tf.tensor3d(normal(COUNT, 3), [...SHAPE]), target: tf.tensor3d(target, [...SHAPE]) };
  }
  const labels = target.map((_, at) => (isIgnored(at) ? IGNORED : [0, 1, 3][at % 3]!));
  const logits = tf.tensor4d(normal(COUNT * CLASSES, 1), [...SHAPE, CLASSES]);
  return { logits, target: tf.tensor3d(labels, [...SHAPE], 'int32') };
}

const valueOf = (x: Tensor): number => x.dataSync()[0]!;

/** Float32 leaves about 1e-6 of a loss of size 1; over a step of 2/32 the third derivative adds about 1e-4. */
const GRADIENT_TOLERANCE = 2e-3;
const STEP = 1 / 32;

describeBackends('every loss', (backend) => {
  it.each(names)('%s has the slope of its value', (name) =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const { logits, target } = inputsOf(name, [1, 5]);
        const loss = createLoss({ name, ignoreIndex: IGNORED });
        const { grad } = tf.valueAndGrad((x) => loss(x, target))(logits);
        const data = logits.dataSync<'float32'>();
        const at = (index: number, move: number): number => {
          const moved = data.slice();
          moved[index]! += move;
          return valueOf(loss(tf.tensor(moved, logits.shape as [number]), target));
        };
        // the slopes of Lovász and of absolute errors jump where errors cross: a smaller step
        const step = name === 'lovasz' ? STEP / 8 : STEP;
        const places = [0, 5, 10, 11].map((place) => Math.floor((place * data.length) / COUNT));
        const measured = places.map((index) => (at(index, step) - at(index, -step)) / (2 * step));
        const slopes = grad.dataSync<'float32'>();
        const got = Float32Array.from(places, (index) => slopes[index]!);
        expect(largestDifference(got, Float32Array.from(measured))).toBeLessThan(GRADIENT_TOLERANCE);
      }),
    ),
  );

  it.each(names)('%s is 0 with a gradient of zeros where nothing counts', (name) =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const { logits, target } = inputsOf(
          name,
          Array.from({ length: COUNT }, (_, at) => at),
        );
        const loss = createLoss({ name, ignoreIndex: IGNORED });
        const { value, grad } = tf.valueAndGrad((x) => loss(x, target))(logits);
        expect(valueOf(value)).toBeCloseTo(0, 9); // a root keeps 1e-10
        expect(grad.dataSync().every((slope) => slope === 0)).toBe(true);
      }),
    ),
  );

  it.each(names)('%s takes a mask for what the ignore index says', (name) =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const { logits, target } = inputsOf(name, [0, 7]);
        const validity = tf.tensor3d(
          Array.from({ length: COUNT }, (_, at) => (at === 0 || at === 7 ? 0 : 1)),
          [...SHAPE],
        );
        const plain = createLoss({ name })(logits, target, { validity });
        const byIndex = createLoss({ name, ignoreIndex: IGNORED })(logits, target);
        expect(valueOf(plain)).toBe(valueOf(byIndex));
        expect(valueOf(plain)).not.toBe(0);
      }),
    ),
  );

  it('leaves one tensor behind, the loss', () =>
    onBackend(backend, () => {
      for (const name of names) {
        const { logits, target } = inputsOf(name, [3]);
        const alive = tf.memory().numTensors;
        const loss = createLoss({ name, ignoreIndex: IGNORED })(logits, target);
        expect(tf.memory().numTensors, name).toBe(alive + 1);
        tf.dispose([loss, logits, target]);
      }
    }));
});

describeBackends('losses of values', (backend) => {
  it('are not touched by a NaN that does not count', () =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const target = tf.tensor2d([1, Number.NaN, 3, 5], [2, 2]);
        const validity = tf.tensor2d([1, 0, 1, 1], [2, 2]);
        const { value, grad } = tf.valueAndGrad((x) => createLoss({ name: 'mse' })(x, target, { validity }))(
          tf.tensor2d([2, 2, 2, 2], [2, 2]),
        );
        expect(valueOf(value)).toBeCloseTo((1 + 1 + 9) / 3, 6);
        expect(Array.from(grad.dataSync())).toEqual([2 / 3, 0, -2 / 3, -2].map(Math.fround));
      }),
    ));
});

describe('DICE', () => {
  it('leaves ignored pixels out of the divisor, unless the fault of PANGAEA is on', () =>
    onBackend('cpu', () =>
      tf.tidy(() => {
        const logits = tf.tensor4d([9, 9, 9, 9], [1, 2, 2, 1]); // probability 0.9999 everywhere
        const target = tf.tensor3d([1, 1, 255, 255], [1, 2, 2], 'int32');
        const options = { name: 'dice', ignoreIndex: 255 } as const;
        expect(valueOf(createLoss(options)(logits, target))).toBeCloseTo(0, 3);
        const published = createLoss({ ...options, faults: { 'dice-ignored-pixels': true } });
        // 2 · 2 / (4 + 2)
        expect(valueOf(published(logits, target))).toBeCloseTo(1 / 3, 3);
      }),
    ));
});

describe('weights of classes', () => {
  it('are one over the share, and 0 for a class that no pixel has', () => {
    expect(inverseShareWeights([0.5, 0.25, 0])).toEqual([2, 4, 0]);
    expect(inverseShareWeights([0.5, 0], { isAsPublished: true })).toEqual([2, Infinity]);
  });

  it.each([[[0.5, -0.1]], [[0, 0]], [[Number.NaN]]])('are not made of %j', (shares) => {
    expect(() => inverseShareWeights(shares)).toThrowError(expect.objectContaining({ code: 'CLASS_SHARES' }));
  });
});

describe('a target', () => {
  const target = [0, 1, 255, 7, 2, 1];

  it('with a class that is none is refused by sample, place and value', () => {
    const options = { classCount: 3, ignoreIndex: 255, where: 'tile-3.tif', width: 3 };
    expect(() => checkTarget(target, options)).toThrowError(
      expect.objectContaining({
        code: 'CLASS_OUT_OF_RANGE',
        message: expect.stringMatching(/7 at row 1, column 0/) as string,
        where: 'tile-3.tif',
      }),
    );
  });

  it('is counted where it is neither ignored nor invalid', () => {
    expect(checkTarget(target, { classCount: 8, ignoreIndex: 255 })).toBe(5);
    expect(checkTarget(target, { classCount: 8, ignoreIndex: 1, validity: [1, 1, 0, 1, 0, 1] })).toBe(2);
  });

  it('that nothing counts of is an error of the split', () => {
    expect(() => checkSomethingCounts(0, 'train', 'mados')).toThrowError(
      expect.objectContaining({ code: 'ALL_PIXELS_IGNORED', where: 'mados' }),
    );
    expect(() => checkSomethingCounts(1, 'train', 'mados')).not.toThrow();
  });
});

describe('createLoss', () => {
  it('names what is near an unknown loss', () => {
    expect(() => createLoss({ name: 'focl' as LossName })).toThrowError(
      expect.objectContaining({ code: 'LOSS_UNKNOWN', hint: expect.stringMatching(/"focal"/) as string }),
    );
  });

  it('refuses a parameter that the loss has no use for, and a task that is not its own', () => {
    expect(() => createLoss({ name: 'mse', gamma: 2 })).toThrowError(
      expect.objectContaining({ code: 'LOSS_OPTION' }),
    );
    expect(() => createLoss({ name: 'mse', task: 'segmentation' })).toThrowError(
      expect.objectContaining({ code: 'LOSS_OPTION' }),
    );
  });

  it.each<[LossName, object]>([
    ['cross-entropy', { labelSmoothing: 5 }],
    ['cross-entropy', { labelSmoothing: NaN }],
    ['cross-entropy', { classWeights: [] }],
    ['cross-entropy', { classWeights: [1, -1] }],
    ['cross-entropy', { classWeights: [0, 0] }],
    ['cross-entropy', { classWeights: [1, Infinity] }],
    ['cross-entropy', { reduction: 'none' }],
    ['cross-entropy', { ignoreIndex: NaN }],
    ['cross-entropy', { faults: { 'rmse-root-twice': 'yes' } }],
    ['binary-cross-entropy', { positiveWeights: [NaN] }],
    ['focal', { gamma: -1 }],
    ['focal', { alpha: 2 }],
    ['focal', { isNormalized: 1 }],
    ['jaccard', { smoothing: -1 }],
    ['huber', { bend: NaN }],
    ['dice', { epsilon: '1e-6' }],
  ])('refuses what a parameter of %s cannot be: %o', (name, parameters) => {
    expect(() => createLoss({ name, ...parameters })).toThrowError(
      expect.objectContaining({ code: 'LOSS_OPTION', hint: expect.stringMatching(/^It is/) as string }),
    );
  });

  it('refuses weights of other classes than the logits have', () => {
    const logits = tf.zeros([2, 3]);
    const classes = createLoss({ name: 'cross-entropy', classWeights: [1, 2] });
    const labels = createLoss({ name: 'binary-cross-entropy', positiveWeights: [1, 2, 3, 4] });
    const refused = expect.objectContaining({ code: 'LOSS_OPTION' }) as Error;
    expect(() => classes(logits, tf.tensor1d([0, 1], 'int32'))).toThrowError(refused);
    expect(() => labels(logits, tf.zeros([2, 3]))).toThrowError(refused);
  });

  it('knows losses of every task', () => {
    expect(lossesOf('regression')).toEqual(['huber', 'mae', 'mse', 'rmse', 'smooth-mae']);
    expect(lossesOf('multilabel')).toEqual(['balanced-binary-cross-entropy', 'binary-cross-entropy']);
  });
});
