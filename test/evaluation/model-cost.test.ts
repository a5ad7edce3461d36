import { describe, expect, it } from 'vitest';
import { encoderSize } from '../../src/encoders/encoder-size.js';
import { tf } from '../../src/engine/tf.js';
import type { ModelCostOptions } from '../../src/evaluation/cost-types.js';
import { costLine, modelCost } from '../../src/evaluation/model-cost.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { satlasNet, unetEncoder } from '../support/pangaea-encoders.js';

/** Encoders of pixel series and of weather beside images: they take no blank image of one size, and say so. */
const WITHOUT_IMAGES = ['galileo-nano', 'presto'];
const ofImages = listManifests('encoders').filter((id) => !WITHOUT_IMAGES.includes(id));

describe.each(ofImages)('%s', (id) => {
  // 96 where any size goes: a multiple of all patches and strides
  const size: ModelCostOptions = readEncoderManifest(id).imageSize ? {} : { size: 96 };

  it('runs by its shapes alone, and has the parameters that its layers have', async () => {
    const before = tf.memory().numTensors;
    const cost = await modelCost(id, size);
    expect(cost.encoderParameters).toBe((await encoderSize(id)).parameterCount);
    expect(cost.multiplyAdds).toBeGreaterThan(1e6);
    expect(cost.byLayers.reduce((sum, { multiplyAdds }) => sum + multiplyAdds, 0)).toBe(cost.multiplyAdds);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('meets UPerNet, of one date and of three', async () => {
    const one = await modelCost(id, { ...size, decoder: 'upernet' });
    expect(one.decoderMultiplyAdds).toBeGreaterThan(1e6);
    expect(one.parameters).toBe(one.encoderParameters + one.decoderParameters);
  });
});

describe('modelCost', () => {
  it('equals what one adds up by hand for a vision transformer', async () => {
    const { multiplyAdds, activationProducts, byLayers } = await modelCost('vit-small-timm');
    // 196 patches of 16 × 16 × 3; 12 blocks of 12 width² on 197 tokens; attention is two products
    const patches = 196 * 768 * 384;
    const blocks = 12 * 197 * 12 * 384 ** 2;
    const attention = 12 * 2 * 197 ** 2 * 384;
    expect(multiplyAdds).toBe(patches + blocks + attention);
    expect(activationProducts).toBe(attention);
    expect(byLayers.find(({ layer }) => layer === 'blocks/*/mlp/fc1')).toMatchObject({
      part: 'encoder',
      parameters: 12 * (384 * 1536 + 1536),
      multiplyAdds: 12 * 197 * 384 * 1536,
    });
  });

  it('counts for another size, other bands and another decoder', async () => {
    const small = await modelCost('resnet18-timm', { size: [64, 96], bandCount: 13 });
    expect(small.size).toEqual([64, 96]);
    expect(small.bandCounts).toEqual({ optical: 13 });
    const rgb = await modelCost('resnet18-timm', { size: [64, 96] });
    expect(small.multiplyAdds - rgb.multiplyAdds).toBe(10 * 7 * 7 * 64 * 32 * 48);
    const [narrow, wide] = await Promise.all(
      [64, 128].map((channels) =>
        modelCost('resnet18-timm', { size: 64, decoder: 'upernet', decoderHyperparameters: { channels } }),
      ),
    );
    expect(narrow!.decoderParameters).toBeLessThan(wide!.decoderParameters);
  });

  it('encodes a series date by date, unless the encoder takes it at once', async () => {
    const one = await modelCost('vit-small-timm');
    const series = await modelCost('vit-small-timm', {
      ...{ dateCount: 6, decoder: 'upernet', fusion: 'temporal-ltae', classCount: 19 },
    });
    expect(series.encoderMultiplyAdds).toBe(6 * one.multiplyAdds);
    expect(series.byLayers.find(({ layer }) => layer === 'tmap/inconv')!.multiplyAdds).toBe(
      // four maps of 14 × 14 pixels, six dates
      4 * 6 * 196 * 384 ** 2,
    );
    const merging = { ...satlasNet, hyperparameters: { ...satlasNet.hyperparameters, multiImage: true } };
    const atOnce = await modelCost(merging, { dateCount: 2, decoder: 'upernet' });
    const single = await modelCost(satlasNet, { decoder: 'upernet' });
    expect(atOnce.encoderMultiplyAdds).toBeGreaterThan(1.9 * single.encoderMultiplyAdds);
    expect(atOnce.decoderMultiplyAdds).toBe(single.decoderMultiplyAdds);
  });

  it('takes as many dates as an encoder is built for', async () => {
    const { dateCount } = await modelCost('prithvi-v2-300m-tl');
    expect(dateCount).toBe(4);
  });

  it('says what was counted in a line', async () => {
    expect(costLine(await modelCost(unetEncoder(6), { decoder: 'unet-pangaea' }))).toBe(
      '24.59 · 10⁹ multiply–adds · 0.10 · 10⁹ other operations · 14,790,722 parameters · one sample of 224 × 224 pixels, 6 bands optical, one date',
    );
  });

  it.each<[string, ModelCostOptions, string]>([
    ['vit-small-tim', {}, 'MANIFEST_UNKNOWN'],
    ['vit-small-timm', { size: 7.5 }, 'SIZE_INVALID'],
    ['vit-small-timm', { decoder: 'upernett' }, 'DECODER_UNKNOWN'],
    ['vit-small-timm', { decoder: 'upernet', neck: 'pyramid' }, 'NECK_UNKNOWN'],
    ['vit-small-timm', { decoder: 'upernet', fusion: 'weather' }, 'TEMPORAL_FUSION_UNKNOWN'],
    ['vit-small-timm', { decoder: 'upernet', dateCount: 2 }, 'TIME_STEPS'],
    [
      'vit-small-timm',
      { decoder: 'upernet', decoderHyperparameters: { width: 3 } },
      'HYPERPARAMETERS_INVALID',
    ],
    ['vit-small-timm', { size: 8 }, 'IMAGE_TOO_SMALL'],
  ])('refuses %s with %o', async (id, options, code) => {
    const backend = tf.getBackend();
    await expect(modelCost(id, options)).rejects.toThrow(expect.objectContaining({ code }));
    expect(tf.getBackend()).toBe(backend);
  });

  it.each(WITHOUT_IMAGES)('refuses %s, whose inputs are not images of one size', async (id) => {
    await expect(modelCost(id, { size: 96 })).rejects.toThrow(/era5 has|cannot be counted/);
  });

  it('needs a size where the encoder takes any', async () => {
    const anySize = { ...unetEncoder(3), imageSize: null };
    await expect(modelCost(anySize)).rejects.toThrow(expect.objectContaining({ code: 'SIZE_MISSING' }));
  });
});
