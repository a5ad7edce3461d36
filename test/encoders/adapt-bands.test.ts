import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { selectBands } from '../../src/encoders/adapt-bands.js';
import { openEncoder, type OpenEncoderOptions } from '../../src/encoders/open-encoder.js';
import { planBands } from '../../src/encoders/plan-bands.js';
import { getEncoderFamily } from '../../src/encoders/registry.js';
import { resnet } from '../../src/encoders/resnet.js';
import { startEngine } from '../../src/engine/engine.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { tempFolder } from '../support/temp-folder.js';
import { smallEncoder } from '../support/encoders.js';
import { torchName } from '../../src/encoders/load-weights.js';

beforeAll(() => startEngine());

/** [out = 2, band, tap = 2]: 100 · output + 10 · band + tap. */
const kernel = (bands: number) => ({
  data: Float32Array.from({ length: 2 * bands * 2 }, (_, i) => {
    const [output, band, tap] = [Math.floor(i / (bands * 2)), Math.floor(i / 2) % bands, i % 2];
    return 100 * output + 10 * band + tap;
  }),
  shape: [2, bands, 2],
});
const RGB = ['red', 'green', 'blue'];

describe('a first layer for other bands', () => {
  it('keeps the filters of bands under other names, gives new ones the mean of RGB, and leaves others out', () => {
    const { data } = selectBands(kernel(3), [2, 3, 2], {
      ...{ from: RGB, to: ['B2', 'B8', 'B4'], newBands: 'mean-of-rgb' },
    });
    // blue, mean of 0, 10, 20, red
    expect([...data]).toEqual([20, 21, 10, 11, 0, 1, 120, 121, 110, 111, 100, 101]);
  });

  it('draws new filters within Xavier’s bound, the same for the same seed', () => {
    const drawn = (seed: number) =>
      selectBands(kernel(3), [2, 4, 2], { from: RGB, to: [...RGB, 'B8'], seed }).data;
    const fresh = [...drawn(1).slice(6, 8), ...drawn(1).slice(14, 16)];
    const bound = Math.sqrt(6 / (4 * 2 + 2));
    expect(fresh.every((value) => Math.abs(value) <= bound && value !== 0)).toBe(true);
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect([...drawn(1).slice(0, 6)]).toEqual([...kernel(3).data.slice(0, 6)]);
  });

  it('needs red, green and blue for their mean', () => {
    const change = { from: ['B8', 'B11'], to: ['B8', 'B12'], newBands: 'mean-of-rgb' } as const;
    expect(() => selectBands(kernel(2), [2, 2, 2], change)).toThrow(
      expect.objectContaining({ code: 'BANDS_RGB' }) as Error,
    );
  });

  it('stays as it is for a file that has the wanted bands already', () => {
    const given = kernel(4);
    expect(selectBands(given, [2, 4, 2], { from: RGB, to: [...RGB, 'B8'] })).toBe(given);
  });
});

const small = { block: 'basic', depths: [1, 1], widths: [4, 6], stemWidth: 4 };

/** A file with the weights of a small network of three bands. */
function rgbFile(): { file: string; conv1: number[] } {
  const { store } = smallEncoder(resnet, small);
  let offset = 0;
  const header: Record<string, unknown> = {};
  const parts: Buffer[] = [];
  let conv1: number[] = [];
  for (const { name, role, variable } of store.all) {
    const isKernel = role === 'kernel';
    const value = isKernel ? variable.transpose([3, 2, 0, 1]) : variable;
    const values = value.dataSync() as Float32Array;
    const key = torchName(name.slice('model/'.length));
    if (key === 'conv1.weight') conv1 = [...values];
    header[key] = { dtype: 'F32', shape: value.shape, data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
    parts.push(Buffer.from(values.slice().buffer));
  }
  store.dispose();
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = path.join(tempFolder(), 'rgb.safetensors');
  writeFileSync(file, Buffer.concat([length, text, ...parts]));
  return { file, conv1 };
}

const picture = (bands: readonly string[], value: (band: number) => number) => ({
  images: {
    optical: {
      ...{ timeCount: 1, height: 32, width: 48, bands },
      data: Float32Array.from(
        { length: 32 * 48 * bands.length },
        (_, i) => Math.sin(i) * value(i % bands.length),
      ),
    },
  },
});

/** Each pixel has one value times that of the band, whatever its place among the bands. */
const pixels = (bands: readonly string[], value: (band: number) => number) => ({
  images: {
    optical: {
      ...{ timeCount: 1, height: 32, width: 48, bands },
      data: Float32Array.from(
        { length: 32 * 48 * bands.length },
        (_, i) => Math.sin(Math.floor(i / bands.length)) * value(i % bands.length),
      ),
    },
  },
});

const open = (id: string, more: OpenEncoderOptions) => openEncoder(id, { hyperparameters: small, ...more });

describe('openEncoder for other bands', () => {
  it('says what was kept, added and dropped', async () => {
    const { file } = rgbFile();
    const encoder = await open('resnet18-timm', {
      ...{ weights: file, bands: ['B8', 'B4', 'B3'], newBands: 'mean-of-rgb' },
    });
    expect(encoder.bands).toEqual([
      {
        ...{ modality: 'optical', from: RGB, to: ['B8', 'B4', 'B3'], kept: ['B4', 'B3'], added: ['B8'] },
        ...{ dropped: ['blue'], zeros: [], ignored: [], newBands: 'mean-of-rgb' },
      },
    ]);
    expect(encoder.manifest.modalities['optical']!.bands).toEqual(['B8', 'B4', 'B3']);
    expect(encoder.manifest.weights!.input).toBeNull(); // nothing is known of B8
    encoder.dispose();
  });

  it('gives the same for bands in another order, and for dropped bands the same as for zeros', async () => {
    const { file } = rgbFile();
    const features = async (more: OpenEncoderOptions, bands: string[], values: (band: number) => number) => {
      const encoder = await open('resnet18-timm', { weights: file, ...more });
      const [maps] = await encoder.features([picture(bands, values)]);
      encoder.dispose();
      return maps![1]!.data;
    };
    const dropped = await features({ bands: ['B4'] }, ['B4'], () => 1);
    const zero = await features({ bands: ['B4'], missingBands: 'zero' }, ['B4'], () => 1);
    const other = await features({ bands: ['B3'] }, ['B3'], () => 1);
    expect(dropped.length).toBeGreaterThan(0);
    for (const [index, value] of zero.entries()) expect(value).toBeCloseTo(dropped[index]!, 5); // order of sums
    expect([...other]).not.toEqual([...dropped]);
  });

  it('leaves the model as it is, with zeros for bands that the images lack, where new ones are ignored', async () => {
    const { file } = rgbFile();
    const plain = await open('resnet18-timm', { weights: file });
    const encoder = await open('resnet18-timm', {
      ...{ weights: file, bands: ['B8', 'B4', 'B11', 'B2'], newBands: 'ignore', missingBands: 'zero' },
    });
    expect(encoder.bands).toEqual([
      {
        ...{ modality: 'optical', from: RGB, to: RGB, kept: RGB, added: [], dropped: [] },
        ...{ zeros: ['green'], ignored: ['B8', 'B11'], newBands: null },
      },
    ]);
    expect(encoder.manifest.modalities['optical']!.bands).toEqual(['B8', 'B4', 'B11', 'B2']);
    const value = (band: number): number => [7, 1, 5, 2][band]!;
    const [maps] = await encoder.features([pixels(['B8', 'B4', 'B11', 'B2'], value)]);
    // red, no green, blue of the same pixels
    const [wanted] = await plain.features([pixels(RGB, (band) => [1, 0, 2][band]!)]);
    expect(maps).toEqual(wanted);
    await expect(encoder.features([pixels(RGB, () => 1)])).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
    plain.dispose();
    encoder.dispose();
  });

  it('uses only the bands that both have where others are ignored and missing ones dropped', async () => {
    const { file } = rgbFile();
    const options = { weights: file, newBands: 'ignore', missingBands: 'drop' } as const;
    const encoder = await open('resnet18-timm', { ...options, bands: ['B8', 'B4', 'B2'] });
    expect(encoder.bands[0]).toMatchObject({ to: ['B4', 'B2'], dropped: ['green'], ignored: ['B8'] });
    const only = await open('resnet18-timm', { ...options, bands: ['B4', 'B2'] });
    const [maps] = await encoder.features([pixels(['B8', 'B4', 'B2'], (band) => [9, 1, 2][band]!)]);
    const [wanted] = await only.features([pixels(['B4', 'B2'], (band) => [1, 2][band]!)]);
    expect(maps).toEqual(wanted);
    await expect(open('resnet18-timm', { ...options, bands: ['B8'] })).rejects.toMatchObject({
      code: 'BANDS_NONE',
    });
    encoder.dispose();
    only.dispose();
  });

  it.each(['resnet50-timm-r-multi'])('loads a checkpoint of RGB into %s', async (id) => {
    const { file } = rgbFile();
    const encoder = await open(id, { weights: file });
    expect(encoder.bands[0]).toMatchObject({ from: RGB, kept: ['B2', 'B3', 'B4'], newBands: 'random' });
    expect(encoder.bands[0]!.added).toHaveLength(10);
    encoder.dispose();
    const narrow = await open(id, { weights: file, bands: ['B4', 'B8', 'B2'] });
    expect(narrow.bands[0]).toMatchObject({ to: ['B4', 'B8', 'B2'], kept: ['B4', 'B2'], added: ['B8'] });
    narrow.dispose();
    const same = await open(id, { weights: file, bands: RGB });
    expect(same.bands).toEqual([]); // as the checkpoint has them
    same.dispose();
  });

  it('tells a file for other bands, modalities and empty lists by name', async () => {
    const { file } = rgbFile();
    await expect(
      open('resnet18-timm', { weights: file, hyperparameters: { ...small, bandCount: 6 } }),
    ).rejects.toMatchObject({
      code: 'CHECKPOINT_SHAPE',
      message:
        'The checkpoint is for other bands: the first layer (conv1.weight) takes 3 bands, that of the model 6.',
    });
    const wrong = (bands: OpenEncoderOptions['bands'] & object) =>
      expect(open('resnet18-timm', { weights: file, bands })).rejects;
    await wrong({ opticl: ['B4'] }).toMatchObject({ code: 'MODALITIES' });
    await wrong([]).toMatchObject({ code: 'BANDS_NONE' });
  });
});

describe('the families', () => {
  it('change their bands or refuse by name, for every manifest', async () => {
    const fixed: string[] = [];
    for (const id of listManifests('encoders')) {
      const manifest = readEncoderManifest(id);
      const family = await getEncoderFamily(manifest.family);
      const [modality] = Object.keys(manifest.modalities);
      const taken = Object.values(manifest.modalities)[0]!.bands;
      if (taken.length > 0) {
        const select = { bands: [...taken].reverse(), newBands: 'ignore', missingBands: 'zero' } as const;
        const { hyperparameters, arrange } = planBands(family, manifest, select, 0);
        expect(hyperparameters, id).toEqual(manifest.hyperparameters);
        expect(arrange[modality!]?.length ?? 1, id).toBe(taken.length);
      }
      try {
        const plan = planBands(family, manifest, { bands: ['B4', 'B3', 'B2', 'B8'] }, 0);
        expect(plan.manifest.modalities[modality!]!.bands, id).toHaveLength(4);
      } catch (error) {
        expect(error, id).toMatchObject({ code: 'BANDS_FIXED' });
        fixed.push(manifest.family);
      }
    }
    // tokens of neighbouring bands, and tokens of groups of bands
    for (const family of new Set(fixed))
      expect(['spectral-gpt', 'presto', 'galileo', 'clay']).toContain(family);
  });

  it('take wavelengths for bands that their manifests do not name', async () => {
    const manifest = readEncoderManifest('dofa-base');
    const family = await getEncoderFamily('dofa');
    const plan = planBands(family, manifest, { bands: ['red', 'B8A'] }, 0);
    expect(plan.manifest.modalities['optical']).toEqual({
      bands: ['red', 'B8A'],
      wavelengths: [664.6, 864.7],
    });
    expect(() => planBands(family, manifest, { bands: ['VV'] }, 0)).toThrow(
      expect.objectContaining({ code: 'BANDS_WAVELENGTH' }) as Error,
    );
  });
});
