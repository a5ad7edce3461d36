import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { adaptedEncoder } from '../../src/encoders/adapted-encoder.js';
import { checkWeights } from '../../src/encoders/encode-image.js';
import { encoderSize } from '../../src/encoders/encoder-size.js';
import { defineEncoder, openEncoder, type EncodedMap, type EncoderSample } from '../../src/encoders/index.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { ParameterStore } from '../../src/layers/parameters.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { sha256 } from '../../src/manifests/sha256.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

beforeAll(() => startEngine());

const folder = path.join(root, 'test', 'fixtures', 'onnx');
const model = (name: string): string => path.join(folder, `${name}.onnx`);

interface Output {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
const expected = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Record<
  string,
  Record<string, Output>
>;

/** The inputs of make_onnx.py: sin of the place in memory, [sample, height, width, band]. */
function samples(
  count: number,
  height: number,
  width: number,
  bands: Readonly<Record<string, readonly string[]>>,
): EncoderSample[] {
  return Array.from({ length: count }, (_, sample) => ({
    images: Object.fromEntries(
      Object.entries(bands).map(([modality, names]) => {
        const size = height * width * names.length;
        const data = Float32Array.from({ length: size }, (_, i) => Math.sin(sample * size + i));
        return [modality, { timeCount: 1, height, width, bands: names, data }];
      }),
    ),
  }));
}

/** [batch, channel, height, width] → by sample [height, width, channel]. */
function channelsLast({ shape, values }: Output): number[][] {
  const [batch, channels, height, width] = shape as [number, number, number, number];
  return Array.from({ length: batch }, (_, sample) =>
    Array.from({ length: height * width * channels }, (_, i) => {
      const [pixel, channel] = [Math.floor(i / channels), i % channels];
      return values[(sample * channels + channel) * height * width + pixel]!;
    }),
  );
}

function expectMap({ data }: EncodedMap, wanted: readonly number[]): void {
  expect(data).toHaveLength(wanted.length);
  // float32 sums of 96 products, values up to 3
  for (const [i, value] of wanted.entries()) expect(Math.abs(data[i]! - value)).toBeLessThan(2e-6);
}

const RGB = { image: ['B4', 'B3', 'B2'] };

describe('an encoder that is named by the path of an ONNX file', () => {
  it('gives the maps and vectors of the reference, and frees what it made', async () => {
    const encoder = await openEncoder(model('pyramid'));
    const batch = samples(2, 16, 24, RGB);
    const before = tf.memory().numTensors;
    const found = await encoder.features(batch);
    expect(tf.memory().numTensors).toBe(before);
    const { fine, coarse, vector } = expected['pyramid']!;
    expect(found[0]!.map(({ shape, stride }) => [shape, stride])).toEqual([
      [[4, 6, 6], 4],
      [[2, 3, 5], 8],
    ]);
    for (const [sample, maps] of found.entries()) {
      expectMap(maps[0]!, channelsLast(fine!)[sample]!);
      expectMap(maps[1]!, channelsLast(coarse!)[sample]!);
    }
    const vectors = await encoder.embed(batch);
    expectMap({ data: vectors[1]!, shape: [5], stride: 1 }, vector!.values.slice(5));
    encoder.dispose();
  });

  it('is known by the digest of the file, its bands and its size', async () => {
    const manifest = readEncoderManifest(model('pyramid'));
    const digest = sha256(readFileSync(model('pyramid')));
    expect(manifest.weights).toMatchObject({ file: model('pyramid'), sha256: digest });
    expect(manifest.modalities).toEqual({ image: { bands: ['B4', 'B3', 'B2'] } });
    expect(manifest.imageSize).toBeNull();
    expect(manifest.parameters!.count).toBe(6 * 3 * 16 + 5 * 6 * 4);
    expect(readEncoderManifest(model('tokens')).imageSize).toEqual([12, 16]);
    const copy = path.join(tempFolder(), 'elsewhere.onnx');
    copyFileSync(model('pyramid'), copy);
    expect(readEncoderManifest(copy).hash).toBe(manifest.hash);
    expect(await checkWeights(model('pyramid'))).toMatchObject({ sha256: digest, isPublished: true });
    expect((await encoderSize(model('pyramid'))).features).toEqual([
      { channels: 6, stride: 4 },
      { channels: 5, stride: 8 },
    ]);
  });

  it('that gives tokens is told the size of their patches; a fixed batch of one is run image by image', async () => {
    await expect(openEncoder(model('tokens'))).rejects.toMatchObject({
      code: 'ONNX_MODEL',
      hint: expect.stringContaining('patchSize') as string,
    });
    const hyperparameters = { patchSize: 4, prefixTokens: 1 };
    const encoder = await openEncoder(model('tokens'), { hyperparameters });
    const found = await encoder.features(samples(2, 12, 16, { optical: ['a', 'b'] }));
    expect(found[1]![0]!.shape).toEqual([3, 4, 7]);
    expectMap(found[0]![0]!, expected['tokens']!['last_hidden_state']!.values.slice(7));
    await expect(
      openEncoder(model('tokens'), { hyperparameters: { patchSize: 4 } }).then((other) =>
        other.features(samples(1, 12, 16, { optical: ['a', 'b'] })),
      ),
    ).rejects.toMatchObject({ code: 'ONNX_MODEL', hint: expect.stringContaining('prefixTokens') as string });
    encoder.dispose();
  });

  it('takes several modalities by the names of its inputs', async () => {
    const encoder = await openEncoder(model('joint'));
    const bands = { optical: ['B4', 'B3', 'B2'], sar: ['VV', 'VH'] };
    const [maps] = await encoder.features(samples(1, 8, 12, bands));
    expectMap(maps![0]!, channelsLast(expected['joint']!['map']!)[0]!);
    await expect(encoder.features(samples(1, 8, 12, { sar: ['VV', 'VH'] }))).rejects.toMatchObject({
      code: 'MODALITIES',
    });
    encoder.dispose();
  });

  it('takes the bands of a dataset, zeros for those that are missing', async () => {
    const options = { bands: ['B2', 'B8', 'B4'], newBands: 'ignore', missingBands: 'zero' } as const;
    const encoder = await openEncoder(model('pyramid'), options);
    expect(encoder.bands[0]).toMatchObject({ zeros: ['B3'], ignored: ['B8'] });
    const [sample] = samples(1, 8, 8, { image: options.bands });
    const { data } = sample!.images['image']!;
    const direct = await openEncoder(model('pyramid'));
    const moved = data.map((_, i) => [data[i + 2]!, 0, data[i - 2]!][i % 3]!);
    const image = { ...sample!.images['image']!, data: moved, bands: RGB.image };
    expect(await encoder.features([sample!])).toEqual(await direct.features([{ images: { image } }]));
    encoder.dispose();
    direct.dispose();
  });
});

const own = (more: object, modalities: object = { optical: ['B4', 'B3', 'B2', 'B8'] }) =>
  defineEncoder('my-onnx', {
    manifest: {
      family: 'onnx',
      modalities: modalities as Record<string, string[]>,
      weights: { file: model('channels-last') },
      hyperparameters: { layout: 'NHWC' },
      ...more,
    },
  });

describe('an ONNX file that defineEncoder names', () => {
  it('is the encoder that it is declared to be', async () => {
    const encoder = await openEncoder(own({ imageSize: [8, 12] }));
    expect(encoder.manifest.weights!.sha256).toBe(sha256(readFileSync(model('channels-last'))));
    const found = await encoder.features(samples(2, 8, 12, { optical: ['B4', 'B3', 'B2', 'B8'] }));
    const { shape, values } = expected['channels-last']!['map']!;
    expect(found[1]![0]!.shape).toEqual(shape.slice(1));
    expectMap(found[1]![0]!, values.slice(values.length / 2));
    await expect(
      encoder.features(samples(1, 8, 8, { optical: ['B4', 'B3', 'B2', 'B8'] })),
    ).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
    encoder.dispose();
  });

  it.each([
    ['bands', own({}, { optical: ['B4', 'B3', 'B2'] }), /3 bands are declared.*takes 4/],
    ['size', own({ imageSize: [8, 8] }), /8 × 8 pixels are declared.*8 × 12/],
    ['layout', own({ hyperparameters: {} }), /4 bands are declared.*takes 8 \(NCHW\)/],
    ['output', own({ hyperparameters: { layout: 'NHWC', outputs: ['maps'] } }), /no output maps/],
    ['input', own({}, { optical: ['B4', 'B3', 'B2', 'B8'], sar: ['VV'] }), /sar/],
  ])('of another %s than it is declared is one error', async (_, encoder, message) => {
    await expect(openEncoder(encoder)).rejects.toMatchObject({
      code: 'ONNX_MODEL',
      message: expect.stringMatching(message) as string,
      where: model('channels-last'),
      hint: expect.stringMatching(/.{20}/) as string,
    });
  });

  it('stays frozen', async () => {
    const store = new ParameterStore();
    const options = { weightsFile: model('pyramid') };
    await expect(
      adaptedEncoder(model('pyramid'), store, { ...options, isTrained: true }),
    ).rejects.toMatchObject({
      code: 'ENCODER_FROZEN_ONLY',
      hint: expect.stringContaining('frozen') as string,
    });
    const encoder = await adaptedEncoder(model('pyramid'), store, options);
    expect(store.all).toEqual([]);
    const images = { image: tf.zeros([1, 8, 8, 3]) as never };
    expect(() => encoder.forward({ images }, { training: true })).toThrow(
      expect.objectContaining({ code: 'ENCODER_FROZEN_ONLY' }) as Error,
    );
    await expect(openEncoder(model('pyramid'), { weights: 'random' })).rejects.toMatchObject({
      code: 'ENCODER_FROZEN_ONLY',
    });
    encoder.dispose?.();
  });
});

describe('a file that is no such model', () => {
  const written = (content: Uint8Array | string): string => {
    const file = path.join(tempFolder(), 'bad.onnx');
    writeFileSync(file, content);
    return file;
  };
  const emptyFolder = (name: string): string => {
    const folder = path.join(tempFolder(), name);
    mkdirSync(folder);
    return folder;
  };
  const whole = readFileSync(model('pyramid'));
  const declared = (text: string): Buffer => {
    const json = '{"bands": ["B4", "B3", "B2"]}';
    const at = whole.indexOf(json);
    return Buffer.concat([
      whole.subarray(0, at),
      Buffer.from(text.padEnd(json.length)),
      whole.subarray(at + json.length),
    ]);
  };

  it.each([
    ['is missing', () => path.join(tempFolder(), 'gone.onnx'), 'FILE_MISSING'],
    ['is a page', () => written('<!doctype html><title>Sign in</title>'), 'ONNX_MODEL'],
    ['is empty', () => written(''), 'ONNX_MODEL'],
    ['is cut off', () => written(whole.subarray(0, whole.length - 40)), 'ONNX_MODEL'],
    ['is a folder', () => emptyFolder('model.onnx'), 'ONNX_MODEL'],
    ['declares no JSON', () => written(declared('{"bands": ')), 'ONNX_MODEL'],
    ['declares what is not known', () => written(declared('{"band": ["B4"]}')), 'ONNX_MODEL'],
    ['declares other bands', () => written(declared('{"bands": ["B4"]}')), 'ONNX_MODEL'],
  ])('because it %s is one error', async (_, file, code) => {
    await expect(openEncoder(file())).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(/.{20}/) as string,
    });
  });

  it('whatever single byte of it is changed is a typed error, or still a model', async () => {
    for (let at = 0; at < whole.length; at += 97) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0xff;
      const file = written(changed);
      const code = await openEncoder(file).then(
        (encoder) => (encoder.dispose(), 'opened'),
        (error: { code?: string }) => error.code,
      );
      expect(['opened', 'ONNX_MODEL', 'ONNX_FAILED'], `byte ${at}`).toContain(code);
    }
  });
});
