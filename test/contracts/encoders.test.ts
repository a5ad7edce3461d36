import { statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkWeights } from '../../src/encoders/encode-image.js';
import {
  defineEncoder,
  openEncoder,
  registerEncoder,
  type EncoderSample,
  type EncoderVariant,
} from '../../src/encoders/index.js';
import { encoderFamilies, getEncoderFamily } from '../../src/encoders/registry.js';
import { startEngine } from '../../src/engine/engine.js';
import { tempFolder } from '../support/temp-folder.js';
import { checkpointShapes, writeCheckpoint, type Shapes } from '../support/write-checkpoint.js';

beforeAll(() => startEngine());

interface Small {
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  /** Bands by modality. Default: three of `optical`. */
  readonly bands?: Readonly<Record<string, number>>;
  /** Height and width of images that it takes. Default 32 × 48. */
  readonly size?: readonly [number, number];
  readonly dates?: number;
  /** Whether one pixel is an image. */
  readonly takesPixels?: boolean;
  /** Name of a parameter in checkpoints, where it is not that of the model. */
  readonly named?: (name: string) => string;
}

const transformer = { patchSize: 8, width: 16, depth: 2, heads: 2, outputLayers: [0, 1] };
const generated = { wavelengthPlanes: 16, generatorHidden: 24, generatorTokens: 6 };
const windows = { width: 8, depths: [2, 1], heads: [2, 4], windowSize: 4 };

/** The smallest form of every family, each unlike the others. */
const small: Readonly<Record<Exclude<keyof typeof encoderFamilies, 'onnx'>, Small>> = {
  clay: { hyperparameters: { ...transformer, ...generated, headWidth: 8 } },
  convnext: { hyperparameters: { depths: [1, 1], widths: [8, 12] } },
  croma: {
    hyperparameters: {
      ...{ modality: 'joint', width: 16, heads: 4, opticalDepth: 4, sarDepth: 2, crossDepth: 2 },
      outputLayers: [0, 1],
    },
    bands: { optical: 12, sar: 2 },
    size: [32, 32],
  },
  data2vec: { hyperparameters: { ...transformer, bandCount: 3, imageSize: [32, 48] } },
  'dinov3-vit': { hyperparameters: transformer },
  dofa: { hyperparameters: { ...transformer, ...generated, imageSize: [32, 48] } },
  'efficientnet-lite': {
    hyperparameters: {
      ...{
        stemChannels: 8,
        headChannels: 16,
        classCount: 4,
        batchNormEpsilon: 1e-3,
        batchNormMomentum: 0.01,
      },
      stages: [
        { kernelSize: 3, stride: 1, expansion: 1, channels: 8, repeats: 1 },
        { kernelSize: 3, stride: 2, expansion: 2, channels: 12, repeats: 2 },
      ],
    },
    takesPixels: true,
  },
  galileo: {
    hyperparameters: { width: 32, depth: 2, heads: 2, patchSize: 4, outputLayers: [0, 1] },
    bands: { optical: 10 },
  },
  'gfm-swin': {
    hyperparameters: { ...windows, imageSize: [32, 32] },
    size: [32, 32],
    // the checkpoint counts the merging of patches to the stage before
    named: (name) => name.replace(/^layers\.1\.downsample/, 'layers.0.downsample'),
  },
  'open-clip': {
    hyperparameters: { ...transformer, imageSize: [32, 48] },
    named: (name) => `visual.${name.replace('in_proj.', 'in_proj_')}`,
  },
  presto: {
    hyperparameters: { width: 16, depth: 2, heads: 2, mlpRatio: 2 },
    bands: { sar: 2 },
    size: [2, 3],
    takesPixels: true,
  },
  prithvi: { hyperparameters: { ...transformer, bandCount: 6, imageSize: [32, 48] }, bands: { optical: 6 } },
  resnet: {
    hyperparameters: { block: 'basic', depths: [1, 1], widths: [4, 6], stemWidth: 4 },
    takesPixels: true, // convolutions pad
  },
  satlas: { hyperparameters: { ...windows, bandCount: 3 } },
  'scale-mae': { hyperparameters: transformer },
  'spectral-gpt': {
    hyperparameters: { ...transformer, bandCount: 6, imageSize: [32, 32] },
    bands: { optical: 6 },
    size: [32, 32],
  },
  swin: { hyperparameters: { ...windows, version: 2, layout: 'torchvision' } },
  terramind: {
    hyperparameters: { ...transformer, patchSize: 16, modalities: ['S1GRD', 'S2L2A'], imageSize: [32, 48] },
    bands: { S1GRD: 2, S2L2A: 12 },
  },
  unet: { hyperparameters: { bandCount: 3, widths: [4, 6] } },
  utae: {
    hyperparameters: {
      ...{ bandCount: 3, encoderWidths: [8, 8], decoderWidths: [4, 8], normGroups: 2 },
      ...{ heads: 2, modelWidth: 8, keyWidth: 2 },
    },
    dates: 2,
  },
  vit: { hyperparameters: { ...transformer, imageSize: [32, 48] } },
};

type FamilyId = keyof typeof small;
const ids = Object.keys(small) as FamilyId[];
const takesWavelengths = (id: FamilyId): boolean => id === 'dofa' || id === 'clay';
const namesOf = (count: number): string[] => Array.from({ length: count }, (_, band) => `b${band + 1}`);

function variant(id: FamilyId, hyperparameters = small[id].hyperparameters): EncoderVariant {
  const bands = Object.entries(small[id].bands ?? { optical: 3 });
  return defineEncoder(`small-${id}`, {
    manifest: {
      ...{ family: id, hyperparameters },
      modalities: Object.fromEntries(
        bands.map(([name, count]) => [name, takesWavelengths(id) ? [] : namesOf(count)]),
      ),
    },
  });
}

/** A sample with all that any family asks for. */
function sample(
  id: FamilyId,
  {
    size = small[id].size ?? [32, 48],
    moreBands = 0,
  }: { size?: readonly [number, number]; moreBands?: number } = {},
): EncoderSample {
  const { bands = { optical: 3 }, dates = 1 } = small[id];
  const [height, width] = size;
  const images = Object.entries(bands).map(([name, count]) => {
    const names = namesOf(count + moreBands);
    const data = new Float32Array(dates * height * width * names.length).fill(0.5);
    return [name, { data, height, width, timeCount: dates, bands: names }] as const;
  });
  return {
    images: Object.fromEntries(images),
    times: Array.from({ length: dates }, (_, date) => ({ year: 2021, dayOfYear: 100 + date })),
    place: { latitude: 47, longitude: 8 },
    groundSamplingDistance: 10,
  };
}

const wavelengths = { optical: [490, 560, 665] };

async function shapesOf(
  id: FamilyId,
  hyperparameters = small[id].hyperparameters,
): Promise<Record<string, readonly number[]>> {
  const { named = (name: string): string => name } = small[id];
  const shapes = checkpointShapes(await getEncoderFamily(id), hyperparameters);
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [named(name), shape]));
}

const written = (shapes: Shapes): string =>
  writeCheckpoint(path.join(tempFolder(), 'weights.safetensors'), shapes);

const weightsIn = (shapes: Shapes): string[] => Object.keys(shapes).filter((name) => name.endsWith('weight'));

interface Told {
  readonly code: string;
  readonly message: string;
  readonly where: string;
  readonly hint: string;
}

/** The error, once it is seen to say what, where and what to do. */
async function told(promise: Promise<unknown>): Promise<Told> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown as Told & { readonly name: string; readonly exitCode?: number },
  );
  expect(error, 'an error').toBeDefined();
  expect(error!.exitCode, `${error!.name}: ${error!.message}`).toBe(3);
  expect(error!.message.length).toBeGreaterThan(20);
  expect(error!.where).not.toBe('');
  expect(error!.hint.length).toBeGreaterThan(20);
  return error!;
}

it('every family has its smallest form here', () => {
  expect([...ids, 'onnx'].sort()).toEqual(Object.keys(encoderFamilies).sort());
});

describe.each(ids)('%s, given a checkpoint', (id) => {
  const check = async (shapes: Shapes): Promise<Told> =>
    told(openEncoder(variant(id), { weights: written(shapes) }));

  it('that belongs to it uses every tensor and gives its features', async () => {
    registerEncoder(variant(id));
    const file = written(await shapesOf(id));
    const { used, unused } = await checkWeights(`small-${id}`, { file });
    expect([used.length, unused]).toEqual([Object.keys(await shapesOf(id)).length, []]);
    const encoder = await openEncoder(variant(id), { weights: file });
    const options = takesWavelengths(id) ? { wavelengths } : {};
    const [maps] = await encoder.features([sample(id)], options);
    expect(maps!.length).toBeGreaterThan(0);
    encoder.dispose();
  });

  it('of another model, or one with tensors too few or too many, names them', async () => {
    const shapes = await shapesOf(id);
    const other = ids[(ids.indexOf(id) + 1) % ids.length]!;
    expect(await check(await shapesOf(other))).toMatchObject({
      code: 'CHECKPOINT_KEYS',
      where: expect.stringContaining('weights.safetensors') as string,
    });
    const required = weightsIn(shapes)[1]!; // the first layer may be redrawn on purpose
    const { [required]: _, ...fewer } = shapes;
    const missing = await check(fewer);
    expect(missing).toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining(required.replace('visual.', '')) as string,
    });
    const more = await check({ ...shapes, 'ten_classes.weight': [10, 16] });
    expect(more).toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining('ten_classes.weight') as string,
    });
  });

  it('with a layer of another size names it with both sizes', async () => {
    const shapes = await shapesOf(id);
    const name = weightsIn(shapes)
      .filter((one) => shapes[one]!.length > 1)
      .at(-1)!;
    const [out, ...rest] = shapes[name] as [number, ...number[]];
    const error = await check({ ...shapes, [name]: [out + 1, ...rest] });
    expect(error.code).toBe('CHECKPOINT_SHAPE');
    expect(error.message).toContain(`${name} is [${[out + 1, ...rest].join(', ')}]`);
  });

  it('for other bands says for how many', async () => {
    const family = await getEncoderFamily(id);
    const { hyperparameters, bands = { optical: 3 } } = small[id];
    const [layer] = family.bandLayers?.(hyperparameters) ?? [];
    if (!layer) return; // its bands are fixed, or told by wavelengths
    const count = bands[layer.modality ?? 'optical'] ?? Object.values(bands)[0]!;
    const wide = { ...hyperparameters, ...layer.withBands(count + 1) };
    const error = await check(await shapesOf(id, wide));
    expect(error.code).toBe('CHECKPOINT_SHAPE');
    expect(error.message).toMatch(/other bands: the first layer .* takes/);
  });

  it('that is cut off is told before anything is loaded', async () => {
    const file = written(await shapesOf(id));
    truncateSync(file, statSync(file).size - 4);
    expect(await told(openEncoder(variant(id), { weights: file }))).toMatchObject({
      ...{ code: 'CHECKPOINT_MALFORMED', where: file },
    });
  });
});

describe.each(ids)('%s, given images', (id) => {
  const options = takesWavelengths(id) ? { wavelengths } : {};

  it('smaller than a patch, or with another count of bands, is one error', async () => {
    const encoder = await openEncoder(variant(id), { weights: 'random' });
    if (!small[id].takesPixels) {
      const error = await told(encoder.features([sample(id, { size: [1, 1] })], options));
      expect(error.code).toMatch(/^(IMAGE_TOO_SMALL|SHAPE_MISMATCH)$/);
      expect(error.message).toMatch(/\d × \d|\d, \d/);
    }
    const wide = await told(encoder.features([sample(id, { moreBands: 1 })], options));
    expect(wide.code).toBe('SHAPE_MISMATCH');
    encoder.dispose();
  });
});

describe.each(ids.filter(takesWavelengths))('%s, given wavelengths', (id) => {
  it('refuses none, micrometres, and a frequency in their place', async () => {
    const encoder = await openEncoder(variant(id), { weights: 'random' });
    const given = (optical: number[]): Promise<Told> =>
      told(encoder.features([sample(id)], { wavelengths: { optical } }));
    expect(await told(encoder.features([sample(id)]))).toMatchObject({
      ...{ code: 'INPUT_MISSING', where: 'wavelengths.optical' },
    });
    const micrometres = await given([490, 0.56, 665]);
    expect(micrometres).toMatchObject({ code: 'WAVELENGTH_INVALID', where: 'wavelengths.optical[1]' });
    expect(micrometres.hint).toContain('560');
    const gigahertz = await given([490, 560, 5.405]);
    expect(gigahertz).toMatchObject({ code: 'WAVELENGTH_INVALID', where: 'wavelengths.optical[2]' });
    expect(gigahertz.hint).toContain('55465765');
    encoder.dispose();
  });
});
