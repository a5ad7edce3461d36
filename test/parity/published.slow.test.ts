import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, describe, it } from 'vitest';
import { fetchWeights } from '../../src/encoders/fetch-weights.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { runPublishedParity } from '../../src/parity/published.js';

const folder = path.resolve(import.meta.dirname, '../fixtures/parity/published/efficientnet-lite0');
const entry = JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8')) as Parameters<
  typeof runPublishedParity
>[1];
const weights = await fetchWeights(readEncoderManifest('efficientnet-lite0'));

describe('EfficientNet-Lite0 with its published weights', () => {
  it('has the features and logits of the reference on a real image', async () => {
    expect(await runPublishedParity(folder, entry, { weights })).toBeUndefined();
  });

  it('is compared closely enough to see a difference', async () => {
    const strict = { ...entry, tolerance: { atol: 0, rtol: 0 } };
    expect(await runPublishedParity(folder, strict, { weights })).toMatch(
      /^out_feature\.2.* differs at element/,
    );
  });

  it('refuses another file than the one the fixture was made with', async () => {
    const other = { ...entry, weights: { sha256: '0'.repeat(64) } };
    expect(await runPublishedParity(folder, other, { weights })).toMatch(/sha256/);
  });
});
