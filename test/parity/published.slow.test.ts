import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchDataset } from '../../src/datasets/loaded-dataset.js';
import { fetchWeights } from '../../src/encoders/fetch-weights.js';
import { readGeoTiff } from '../../src/io/geotiff.js';
import { readSceneDatasetManifest } from '../../src/manifests/scene-manifest.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { runPublishedParity } from '../../src/parity/published.js';
import { npyBytes } from '../support/npy.js';
import { tempFolder } from '../support/temp-folder.js';

const fixture = path.resolve(import.meta.dirname, '../fixtures/parity/published/efficientnet-lite0');
type Entry = Parameters<typeof runPublishedParity>[1];
const entry = JSON.parse(readFileSync(path.join(fixture, 'config.json'), 'utf8')) as Entry;
let weights: string;

/** The fixture with its image, which is no part of the repository: rows 20–180, columns 100–324 of OSBS_029. */
async function completeFixture(): Promise<string> {
  const data = await fetchDataset(readSceneDatasetManifest('neon-crowns'));
  const file = path.join(data, 'deepforest/data/OSBS_029.tif');
  const crop = await readGeoTiff(file, { window: { row: 20, column: 100, height: 160, width: 224 } });
  const folder = tempFolder();
  cpSync(fixture, folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'in_image_uint8_hwc.npy'),
    npyBytes('|u1', [160, 224, 3], crop.data as Uint8Array),
  );
  return folder;
}

beforeAll(async () => {
  weights = await fetchWeights(readEncoderManifest('efficientnet-lite0'));
});

describe('EfficientNet-Lite0 with its published weights', () => {
  it('has the features and logits of the reference on a real image', async () => {
    expect(await runPublishedParity(await completeFixture(), entry, { weights })).toBeUndefined();
  });

  it('is compared closely enough to see a difference', async () => {
    const strict = { ...entry, tolerance: { atol: 0, rtol: 0 } };
    const difference = await runPublishedParity(await completeFixture(), strict, { weights });
    expect(difference).toMatch(/^out_feature\.2.* differs at element/);
  });

  it('refuses another file than the one the fixture was made with', async () => {
    const other = { ...entry, weights: { sha256: '0'.repeat(64) } };
    expect(await runPublishedParity(await completeFixture(), other, { weights })).toMatch(/sha256/);
  });
});
