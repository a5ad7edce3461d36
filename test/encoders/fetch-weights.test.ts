import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchWeights } from '../../src/encoders/fetch-weights.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { ownEncoderManifest } from '../../src/manifests/own-encoder-manifest.js';
import { tempFolder } from '../support/temp-folder.js';

afterEach(() => vi.unstubAllEnvs());

describe('the weights of an encoder', () => {
  it('that only a page leads to are fetched by a person, who is told what and where', async () => {
    await expect(fetchWeights(readEncoderManifest('croma-joint'))).rejects.toMatchObject({
      code: 'WEIGHTS_BY_HAND',
      where: 'https://huggingface.co/antofuller/CROMA',
      hint: expect.stringMatching(/CROMA_large\.pt.*gondwana models check croma-joint FILE/) as string,
    });
  });

  it('that have an address are downloaded into the cache', async () => {
    vi.stubEnv('GONDWANA_CACHE', tempFolder());
    const server = createServer((_, response) => response.end('weights'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/w.pth`;
    const manifest = ownEncoderManifest('mine', {
      ...{ modalities: { optical: ['red'] }, weights: { file: 'w.pth', url } },
    });
    const file = await fetchWeights(manifest);
    server.close();
    expect(path.basename(file)).toBe('w.pth');
    expect(readFileSync(file, 'utf8')).toBe('weights');
  });
});
