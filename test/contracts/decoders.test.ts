import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assembleDecoder, type DecoderParts } from '../../src/decoders/assemble-decoder.js';
import type { DecoderTask } from '../../src/decoders/decoder.js';
import { isImageTask } from '../../src/manifests/answer-task.js';
import { decoders, getDecoder, type DecoderId } from '../../src/decoders/registry.js';
import { temporalFusions } from '../../src/decoders/temporal/registry.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor, type Tensor4D, type Tensor5D } from '../../src/engine/tf.js';
import type { FeatureSpec } from '../../src/encoders/encoder.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';

beforeAll(() => startEngine());
afterEach(() => tf.disposeVariables());

const EVALUATION = { training: false };
const size = { height: 32, width: 64 };
const ids = Object.keys(decoders) as DecoderId[];

/** Narrow, so that all of them run in seconds. */
const NARROW: Partial<Record<DecoderId, (maps: number) => Readonly<Record<string, unknown>>>> = {
  upernet: () => ({ channels: 8 }),
  deeplabv3: () => ({ channels: 8 }),
  deeplabv3plus: () => ({ channels: 8 }),
  fpn: () => ({ pyramidChannels: 8, segmentationChannels: 32 }),
  fcn: () => ({ channels: 8 }),
  'unet-smp': (maps) => ({ channels: Array.from({ length: maps }, () => 8) }),
};

const plain = (width: number, count: number): FeatureSpec[] =>
  Array.from({ length: count }, () => ({ channels: width, stride: 16 }));
const pyramid = (widths: readonly number[], finest: number): FeatureSpec[] =>
  widths.map((channels, level) => ({ channels, stride: finest * 2 ** level }));

const kinds: Readonly<Record<string, FeatureSpec[]>> = {
  'four maps of a transformer': plain(16, 4),
  'three maps of a transformer': plain(16, 3),
  'one map': plain(16, 1),
  'the pyramid of a network': pyramid([4, 8, 12, 16], 4),
  'five levels from stride 2 on': pyramid([4, 4, 8, 8, 12], 2),
  "levels from the image's size on": pyramid([4, 8, 12], 1),
  'a pyramid whose last maps have one size': [4, 8, 16, 16].map((stride) => ({ channels: 8, stride })),
};

/** What does not go together, on purpose. */
const MISFITS: readonly (readonly [DecoderId, string])[] = [['deeplabv3plus', 'one map']];

const mapsOf = (features: readonly FeatureSpec[], dates?: number): (Tensor4D | Tensor5D)[] =>
  features.map(({ channels, stride }, index) => {
    const place = [size.height / stride, size.width / stride, channels];
    const shape = [2, ...(dates === undefined ? [] : [dates]), ...place] as Tensor4D['shape'];
    return tf.randomNormal(shape, 0, 1, 'float32', index + 1) as Tensor4D | Tensor5D;
  });

const tasksOf = async (id: DecoderId): Promise<DecoderTask[]> =>
  (await getDecoder(id)).predicts === 'images'
    ? ['classification', 'multilabel']
    : ['segmentation', 'change_detection', 'regression'];

const partsOf = async (id: DecoderId, features: FeatureSpec[]): Promise<DecoderParts> => ({
  ...{ features, decoder: await getDecoder(id), encoder: 'some encoder', classCount: 3 },
  ...{ task: (await tasksOf(id))[0]!, hyperparameters: NARROW[id]?.(features.length) ?? {} },
});

const wanted = (task: DecoderTask): number[] => (isImageTask(task) ? [2, 3] : [2, 32, 64, 3]);

describe.each(ids)('decoder %s', (id) => {
  it.each(Object.keys(kinds))('takes %s, or says what does not fit', async (kind) => {
    const parts = await partsOf(id, kinds[kind]!);
    const build = () => assembleDecoder(createScope(new ParameterStore(), createRandom(0)), parts);
    if (MISFITS.some(([decoder, misfit]) => decoder === id && misfit === kind)) {
      expect(build).toThrow(
        expect.objectContaining({
          code: 'DECODER_MISFIT',
          message: expect.stringMatching(`"${id}" does not fit the maps of encoder "some encoder", \\[batch`),
          hint: expect.stringMatching(/\w/),
        }),
      );
      return;
    }
    tf.tidy(() => {
      const logits: Tensor = build().forward(mapsOf(parts.features), size, EVALUATION);
      expect(logits.shape).toEqual(wanted(parts.task!));
      expect(tf.isFinite(logits).all().dataSync()[0]).toBe(1);
    });
  });

  it('serves every task of its kind, and refuses the others', async () => {
    const parts = await partsOf(id, kinds['the pyramid of a network']!);
    const tasks = await tasksOf(id);
    for (const task of [
      'segmentation',
      'change_detection',
      'regression',
      'classification',
      'multilabel',
    ] as const) {
      const build = () =>
        assembleDecoder(createScope(new ParameterStore(), createRandom(0)), { ...parts, task });
      if (!tasks.includes(task)) {
        expect(build).toThrow(expect.objectContaining({ code: 'DECODER_MISFIT' }));
        continue;
      }
      tf.tidy(() => {
        const logits: Tensor = build().forward(mapsOf(parts.features), size, EVALUATION);
        expect(logits.shape).toEqual(wanted(task));
      });
    }
  });

  it('takes a series by a temporal fusion, and gives every learned parameter a gradient', async () => {
    const store = new ParameterStore();
    const features = pyramid([32, 32, 48], 4);
    const decoder = assembleDecoder(createScope(store, createRandom(0)), {
      ...{ ...(await partsOf(id, features)), dateCount: 2 },
      fusion: await temporalFusions['temporal-linear'](),
    });
    const before = tf.memory().numTensors;
    const idle = tf.tidy(() => {
      const maps = mapsOf(features, 2);
      // in training, batch statistics take away what a bias in front of them adds
      const loss = () =>
        tf.sum(tf.square(decoder.forward(maps, size, EVALUATION) as Tensor)) as ReturnType<typeof tf.scalar>;
      const { grads } = tf.variableGrads(loss);
      const isZero = (gradient: Tensor | undefined): boolean =>
        !gradient || tf.max(tf.abs(gradient)).dataSync()[0] === 0;
      return store.all
        .filter(({ role, variable }) => role !== 'statistic' && isZero(grads[variable.name]))
        .map(({ name }) => name);
    });
    expect(idle).toEqual([]);
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe.each(Object.keys(temporalFusions) as (keyof typeof temporalFusions)[])(
  'temporal fusion %s',
  (fusionId) => {
    it.each(Object.keys(kinds))('fuses %s', async (kind) => {
      // channels that 16 heads divide
      const features = kinds[kind]!.map(({ channels, stride }) => ({ channels: channels * 4, stride }));
      const fusion = await temporalFusions[fusionId]();
      for (const id of ['linear-pixel', 'fpn'] as const) {
        const parts = await partsOf(id, features);
        tf.tidy(() => {
          const scope = createScope(new ParameterStore(), createRandom(0));
          const decoder = assembleDecoder(scope, { ...parts, fusion, dateCount: 2 });
          const logits: Tensor = decoder.forward(mapsOf(features, 2), size, EVALUATION);
          expect(logits.shape).toEqual([2, 32, 64, 3]);
        });
      }
    });
  },
);

describe('an L-TAE', () => {
  it('refuses maps whose channels its heads do not divide', async () => {
    const fusion = await temporalFusions['temporal-ltae']();
    const features = pyramid([4, 8, 12], 4);
    const build = async () =>
      assembleDecoder(createScope(new ParameterStore(), createRandom(0)), {
        ...{ features, fusion, dateCount: 2, classCount: 3, decoder: await getDecoder('upernet') },
      });
    await expect(build()).rejects.toMatchObject({ code: 'DECODER_MISFIT' });
  });
});
