import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkWeights, encodeImage } from '../../src/encoders/encode-image.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { tempFolder } from '../support/temp-folder.js';

// four channels at half the resolution in the place of the real network
vi.mock('../../src/encoders/registry.js', async () => {
  const { tinyEncoder } = await import('../support/tiny-encoder.js');
  return { getEncoderFamily: () => Promise.resolve(tinyEncoder) };
});

beforeAll(() => startEngine());

/** Each channel takes the pixel at its centre: band 0, 1, 2, and the sum of all. */
function weights(): string {
  const kernel = Array.from({ length: 4 * 3 * 9 }, (_, i) => {
    const [channel, band, tap] = [Math.floor(i / 27), Math.floor(i / 9) % 3, i % 9];
    return tap === 4 && (channel === band || channel === 3) ? 1 : 0;
  });
  const tensors: Record<string, { shape: number[]; data: number[] }> = {
    'convolution.weight': { shape: [4, 3, 3, 3], data: kernel },
    'norm.weight': { shape: [4], data: [1, 1, 1, 1] },
    'norm.bias': { shape: [4], data: [0, 0, 0, 0] },
    'norm.running_mean': { shape: [4], data: [0, 0, 0, 0] },
    'norm.running_var': { shape: [4], data: [1, 1, 1, 1] },
  };
  let offset = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, data }]) => {
      const start = offset;
      offset += data.length * 4;
      return [name, { dtype: 'F32', shape, data_offsets: [start, offset] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const body = Float32Array.from(Object.values(tensors).flatMap(({ data }) => data));
  const file = path.join(tempFolder(), 'tiny.safetensors');
  writeFileSync(file, Buffer.concat([length, text, Buffer.from(body.buffer)]));
  return file;
}

/** Every pixel of a band has the band's value; height ≠ width. */
const image = (values: readonly number[], height = 6, width = 10) => ({
  data: Uint8Array.from({ length: height * width * values.length }, (_, i) => values[i % values.length]!),
  height,
  width,
  bandCount: values.length,
});

describe('the feature maps of an image', () => {
  it('are normalised band by band as the checkpoint was trained, and leave no tensor behind', async () => {
    const { mean, standardDeviation } = readEncoderManifest('efficientnet-lite0').weights!.input!;
    const values = [200, 150, 250];
    const file = weights();
    const before = tf.memory().numTensors;
    const maps = await encodeImage('efficientnet-lite0', image(values), { file });
    expect(tf.memory().numTensors).toBe(before);
    expect(maps).toHaveLength(1);
    expect(maps[0]).toMatchObject({ height: 3, width: 5, bandCount: 4 });
    const expected = values.map((value, band) => (value - mean[band]!) / standardDeviation[band]!);
    expected.push(expected.reduce((sum, value) => sum + value));
    for (const [channel, value] of expected.entries()) {
      // the batch normalisation divides by √(1 + ε), ε up to 0.001
      expect(maps[0]!.data[7 * 4 + channel]! / value).toBeCloseTo(1, 2);
    }
  });

  it('need the bands that the encoder takes', async () => {
    await expect(encodeImage('efficientnet-lite0', image([1, 2]))).rejects.toMatchObject({
      code: 'SHAPE_MISMATCH',
      message: 'The image has 2 bands, and efficientnet-lite0 takes 3: red, green, blue.',
    });
  });
});

describe('the check of a weight file', () => {
  it('says where every tensor went, and that it is not the published file', async () => {
    const file = weights();
    const before = tf.memory().numTensors;
    const found = await checkWeights('efficientnet-lite0', { file });
    expect(tf.memory().numTensors).toBe(before);
    expect(found).toMatchObject({
      encoder: 'efficientnet-lite0',
      file,
      isPublished: false,
      unused: [],
      missing: [],
    });
    expect(found.used).toHaveLength(5);
    expect(found.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names an encoder that was mistyped', async () => {
    await expect(checkWeights('efficientnet-lite')).rejects.toMatchObject({ code: 'MANIFEST_UNKNOWN' });
  });
});
