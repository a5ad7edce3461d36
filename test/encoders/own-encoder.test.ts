import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkWeights } from '../../src/encoders/encode-image.js';
import { encoderSize } from '../../src/encoders/encoder-size.js';
import { startEngine } from '../../src/engine/engine.js';
import {
  batchNormalization,
  convolution,
  defineEncoder,
  imageOf,
  openEncoder,
  padded,
  registerEncoder,
  sequence,
  type EncoderSample,
  type WeightRules,
} from '../../src/encoders/index.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeCheckpoint } from '../support/write-checkpoint.js';

beforeAll(() => startEngine());

const fixture = (name: string, file: string): string =>
  path.join(root, 'test', 'fixtures', 'parity', 'encoder', name, file);

const sample = (side: number, bands: readonly string[]): EncoderSample => ({
  images: {
    optical: {
      ...{ timeCount: 1, height: side, width: side, bands },
      data: Float32Array.from({ length: side * side * bands.length }, (_, i) => Math.sin(i)),
    },
  },
});

const mine = (weights?: string) =>
  defineEncoder('my-stem', {
    hyperparameters: z.object({ width: z.int().default(4) }),
    build(scope, { width }) {
      const layer = convolution(scope.child('stem'), {
        ...{ inChannels: 2, outChannels: width, kernelSize: 3, stride: 2 },
      });
      return {
        features: [{ channels: width, stride: 2 }],
        forward: (input, context) => [layer(imageOf(input, 2), context)],
      };
    },
    weights: { rename: [], discard: [] },
    manifest: {
      modalities: { optical: ['red', 'nir'] },
      ...(weights !== undefined && { weights: { file: weights } }),
    },
  });

/** The small residual network of a fixture, under its own numbers. */
const network = (id: string, more: object = {}) =>
  defineEncoder(id, {
    manifest: {
      family: 'resnet',
      modalities: { optical: ['B2', 'B3', 'B4', 'B8', 'B11'] },
      hyperparameters: {
        ...{ block: 'basic', depths: [2, 2, 1, 1], widths: [8, 12, 16, 24], stemWidth: 8, bandCount: 5 },
      },
      weights: { file: fixture('pb_resnet', 'weights.pth') },
      ...more,
    },
  });

describe('an encoder of one’s own', () => {
  it('is opened as it is and counted, without being registered', async () => {
    const encoder = await openEncoder(mine());
    const [maps] = await encoder.features([sample(8, ['red', 'nir'])]);
    expect(maps!.map(({ shape, stride }) => [shape, stride])).toEqual([[[4, 4, 4], 2]]);
    expect(encoder.weights).toBeNull();
    encoder.dispose();
    expect((await encoderSize(mine())).parameterCount).toBe(3 * 3 * 2 * 4);
    expect(listManifests('encoders')).not.toContain('my-stem');
  });

  it('goes by its id once it is registered, and does not take one of ours', async () => {
    registerEncoder(mine());
    registerEncoder(mine());
    expect(readEncoderManifest('my-stem').modalities['optical']!.bands).toEqual(['red', 'nir']);
    const encoder = await openEncoder('my-stem');
    expect(encoder.id).toBe('my-stem');
    encoder.dispose();
    const taken = network('resnet18-timm');
    expect(() => registerEncoder(taken)).toThrow(expect.objectContaining({ code: 'ID_TAKEN' }) as Error);
  });

  it('may be a manifest alone, with a checkpoint of its own', async () => {
    const encoder = await openEncoder(network('my-resnet'));
    expect(encoder.report!.used.length).toBeGreaterThan(50);
    expect(encoder.weights).toBe(fixture('pb_resnet', 'weights.pth'));
    const [maps] = await encoder.features([sample(32, ['B2', 'B3', 'B4', 'B8', 'B11'])]);
    expect(maps!.map(({ shape }) => shape.at(-1))).toEqual([8, 12, 16, 24]);
    encoder.dispose();
  });

  it('comes with a plugin', async () => {
    const file = path.join(tempFolder(), 'mine.ts');
    writeFileSync(
      file,
      `import { defineEncoder } from 'gondwana/encoders';
export const net = defineEncoder('my-plugin-net', {
  manifest: { family: 'resnet', modalities: { optical: ['red', 'green', 'blue'] }, hyperparameters: { block: 'basic', depths: [1], widths: [4] } },
});`,
    );
    expect(await loadPlugin(file)).toMatchObject({ encoders: ['my-plugin-net'], decoders: [] });
    expect((await encoderSize('my-plugin-net')).features).toEqual([{ channels: 4, stride: 4 }]);
  });

  it('with a mistake is refused by the name of the member', () => {
    expect(() => network('bad', { imageSize: [0, 3] })).toThrow(
      expect.objectContaining({
        code: 'ENCODER_INVALID',
        message: expect.stringContaining('imageSize') as string,
      }),
    );
  });

  it('whose weights are not there says which file is due', async () => {
    const file = path.join(tempFolder(), 'gone.pth');
    await expect(openEncoder(network('gone', { weights: { file } }))).rejects.toMatchObject({
      code: 'WEIGHTS_MISSING',
      where: file,
    });
  });
});

describe('the checkpoint of an encoder of one’s own', () => {
  const shapes = {
    'stem.conv.weight': [4, 2, 3, 3],
    'stem.bn.weight': [4],
    'stem.bn.bias': [4],
    'stem.bn.running_mean': [4],
    'stem.bn.running_var': [4],
    'stem.bn.num_batches_tracked': [1],
  };
  const net = (weights?: Partial<WeightRules>) =>
    defineEncoder('my-norm', {
      hyperparameters: { parse: () => ({}) },
      build(scope) {
        const stem = scope.child('stem');
        const sizes = { inChannels: 2, outChannels: 4, kernelSize: 3, padding: padded(1) };
        const layers = sequence([
          convolution(stem.child('conv'), sizes),
          batchNormalization(stem.child('bn'), { channels: 4 }),
        ]);
        return {
          features: [{ channels: 4, stride: 1 }],
          forward: (input, context) => [layers(imageOf(input, 2), context)],
        };
      },
      ...(weights && { weights }),
      manifest: { modalities: { optical: ['red', 'nir'] } },
    });
  const file = (more: object = {}): string =>
    writeCheckpoint(path.join(tempFolder(), 'mine.safetensors'), { ...shapes, ...more });

  it('needs no rules where names agree, nor one for the counters of batch normalisation', async () => {
    const encoder = await openEncoder(net(), { weights: file() });
    expect(encoder.report).toMatchObject({
      unused: ['stem.bn.num_batches_tracked'],
      missing: [],
      renamed: [],
    });
    encoder.dispose();
    const discarding = net({ discard: [/^head\./] });
    const other = await openEncoder(discarding, { weights: file({ 'head.weight': [10, 4] }) });
    expect(other.report!.unused).toContain('head.weight');
    other.dispose();
  });

  it('with a bias that the code does not ask for says so', async () => {
    await expect(openEncoder(net(), { weights: file({ 'stem.conv.bias': [4] }) })).rejects.toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining('stem.conv.bias') as string,
      hint: expect.stringContaining('stem.conv without a bias: `bias: true`?') as string,
    });
  });
});

describe('a file that does not belong to the encoder', () => {
  it.each([
    ['of another model', 'pb_ssl4eo_moco/weights.pth', {}, 'CHECKPOINT_KEYS'],
    ['of other bands', 'pb_resnet/weights.pth', { bandCount: 3 }, 'CHECKPOINT_SHAPE'],
    ['of another width', 'pb_resnet/weights.pth', { widths: [8, 12, 16, 32] }, 'CHECKPOINT_SHAPE'],
    ['that is no checkpoint', 'pb_resnet/config.json', {}, 'CHECKPOINT_MALFORMED'],
  ])('%s is one error with what, where and what to do', async (_, file, changes, code) => {
    const hyperparameters = { ...network('x').manifest.hyperparameters, ...changes };
    registerEncoder(network('my-checked', { hyperparameters }));
    const [folder, name] = file.split('/') as [string, string];
    const error = await checkWeights('my-checked', { file: fixture(folder, name) }).then(
      () => undefined,
      (thrown: unknown) => thrown as { code: string; where: string; hint: string; message: string },
    );
    expect(error?.code).toBe(code);
    expect(error!.where).toContain(name);
    expect(error!.hint.length).toBeGreaterThan(20);
    expect(error!.message.length).toBeGreaterThan(20);
  });

  it('and images without whole patches or of other bands are told', async () => {
    const encoder = await openEncoder(
      defineEncoder('my-vit', {
        manifest: {
          family: 'vit',
          modalities: { optical: ['red', 'green', 'blue'] },
          hyperparameters: {
            ...{ imageSize: [32, 32], patchSize: 16, width: 8, depth: 1, heads: 2, outputLayers: [0] },
          },
        },
      }),
    );
    await expect(encoder.features([sample(8, ['red', 'green', 'blue'])])).rejects.toMatchObject({
      code: 'IMAGE_TOO_SMALL',
    });
    await expect(encoder.features([sample(32, ['red'])])).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
    encoder.dispose();
  });
});
