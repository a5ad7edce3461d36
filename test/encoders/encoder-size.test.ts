import { describe, expect, it } from 'vitest';
import { encoderSize } from '../../src/encoders/encoder-size.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';

describe.each(listManifests('encoders'))('%s', (id) => {
  const manifest = readEncoderManifest(id);

  it('has the features of its manifest, and the published count of parameters', async () => {
    const { features, parameterCount } = await encoderSize(id);
    expect(features).toEqual(manifest.features);
    if (manifest.parameters) expect(parameterCount).toBe(manifest.parameters.count);
    else expect(parameterCount).toBeGreaterThan(100_000);
  });
});

it('counts equal blocks as one row, with changes put over the manifest', async () => {
  const { layers, parameterCount } = await encoderSize('vit-small-timm', { bandCount: 13 });
  expect(layers.find(({ layer }) => layer === 'blocks/*/attn/qkv/kernel')).toEqual({
    layer: 'blocks/*/attn/qkv/kernel',
    shape: [384, 1152],
    times: 12,
    parameters: 12 * 384 * 1152,
  });
  const { parameterCount: ofRgb } = await encoderSize('vit-small-timm');
  expect(parameterCount - ofRgb).toBe(10 * 16 * 16 * 384);
  expect(layers.reduce((sum, { parameters }) => sum + parameters, 0)).toBe(parameterCount);
});
