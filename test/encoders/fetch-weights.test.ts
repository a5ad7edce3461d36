import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchWeights } from '../../src/encoders/fetch-weights.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { ownEncoderManifest } from '../../src/manifests/own-encoder-manifest.js';
import { withFullDisk } from '../support/full-disk.js';
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
});

/** Bytes that are no text, each place with another value. */
const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, i) => ((i * 31 + (i >> 8)) % 251) | 0x80));
const CHANGED = Buffer.from(CONTENT.map((byte) => byte ^ 0x11));
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Host {
  readonly url: string;
  /** `Range` of each request, in order. */
  readonly ranges: (string | undefined)[];
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A host that ends with the test. */
async function serve(answer: Answer): Promise<Host> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/w.pth`, ranges };
}

/** The whole file, or the rest of it where the host knows `Range` and still has the same file. */
function answerWith(
  content: Buffer,
  { etag = '"one"', takesRange = true }: { etag?: string; takesRange?: boolean } = {},
): Answer {
  return (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? NaN);
    const isRest = takesRange && Number.isInteger(from) && request.headers['if-range'] === etag;
    const body = isRest ? content.subarray(from) : content;
    response.writeHead(isRest ? 206 : 200, {
      ...{ etag, 'content-length': body.length },
      ...(isRest && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
    });
    response.end(body);
  };
}

const manifestOf = (url: string, sha256: string | null = digest(CONTENT)) =>
  ownEncoderManifest('mine', {
    modalities: { optical: ['red'] },
    weights: { file: 'w.pth', url, sha256 },
  });

/** Sends half of the file and no more, until the caller stops. */
async function stopHalfWay(host: Host, answers: { current: Answer }): Promise<void> {
  const after = answers.current;
  answers.current = (_, response) => {
    response.writeHead(200, { etag: '"one"', 'content-length': CONTENT.length });
    response.write(CONTENT.subarray(0, CONTENT.length / 2));
  };
  const stop = new AbortController();
  const onProgress = (share: number): void => {
    if (share >= 0.5) setTimeout(() => stop.abort(), 20); // what came is on the disk by then
  };
  await expect(fetchWeights(manifestOf(host.url), { signal: stop.signal, onProgress })).rejects.toMatchObject(
    { code: 'STOPPED' },
  );
  answers.current = after;
}

describe('weights that have an address', () => {
  it('are downloaded into the cache, once', async () => {
    vi.stubEnv('GONDWANA_CACHE', tempFolder());
    const host = await serve(answerWith(CONTENT));
    const file = await fetchWeights(manifestOf(host.url));
    expect(path.basename(file)).toBe('w.pth');
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect(await fetchWeights(manifestOf(host.url))).toBe(file);
    expect(host.ranges).toEqual([undefined]);
    expect(readdirSync(path.dirname(file))).toEqual(['w.pth']);
  });

  it.each([
    ['go on where they were stopped', answerWith(CONTENT), [undefined, `bytes=${CONTENT.length / 2}-`]],
    [
      'start anew where the host knows no Range',
      answerWith(CONTENT, { takesRange: false }),
      [undefined, `bytes=${CONTENT.length / 2}-`],
    ],
  ])('%s', async (_, answer, ranges) => {
    vi.stubEnv('GONDWANA_CACHE', tempFolder());
    const answers = { current: answer };
    const host = await serve((request, response) => answers.current(request, response));
    await stopHalfWay(host, answers);
    const file = await fetchWeights(manifestOf(host.url));
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect(host.ranges).toEqual(ranges);
    expect(readdirSync(path.dirname(file))).toEqual(['w.pth']);
  });

  it('start anew where the host has another file by now, and take that only if it has the checksum', async () => {
    vi.stubEnv('GONDWANA_CACHE', tempFolder());
    const answers = { current: answerWith(CHANGED, { etag: '"two"' }) };
    const host = await serve((request, response) => answers.current(request, response));
    await stopHalfWay(host, answers);
    await expect(fetchWeights(manifestOf(host.url))).rejects.toMatchObject({
      code: 'HASH_MISMATCH',
      where: host.url,
    });
    const file = await fetchWeights(manifestOf(host.url, digest(CHANGED)));
    expect(readFileSync(file).equals(CHANGED)).toBe(true);
  });

  it('are not kept with a wrong checksum', async () => {
    const cache = tempFolder();
    vi.stubEnv('GONDWANA_CACHE', cache);
    const host = await serve(answerWith(CONTENT));
    await expect(fetchWeights(manifestOf(host.url, digest(CHANGED)))).rejects.toMatchObject({
      code: 'HASH_MISMATCH',
    });
    expect(readdirSync(path.join(cache, 'weights', 'mine'))).toEqual([]);
  });

  withFullDisk(
    'say that the disk is full, whether or not the host says how large they are',
    async (folder) => {
      vi.stubEnv('GONDWANA_CACHE', folder);
      const large = Buffer.alloc(3 * 2 ** 20, 7);
      const told = await serve(answerWith(large));
      await expect(fetchWeights(manifestOf(told.url, null))).rejects.toMatchObject({ code: 'DISK_FULL' });
      const untold = await serve((_, response) => response.end(large));
      await expect(fetchWeights(manifestOf(untold.url, null))).rejects.toMatchObject({ code: 'DISK_FULL' });
    },
  );
});
