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
