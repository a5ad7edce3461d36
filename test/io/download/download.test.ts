import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadFile, type DownloadOptions, type WantedFile } from '../../../src/io/download/download.js';
import { tempFolder } from '../../support/temp-folder.js';

/** Bytes that are no text, each place with another value. */
const CONTENT = Buffer.from(Array.from({ length: 200_000 }, (_, i) => ((i * 31 + (i >> 8)) % 251) | 0x80));
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const HALF = CONTENT.length / 2;

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

interface Server {
  readonly url: string;
  /** `Range` of each request, in order. */
  readonly ranges: (string | undefined)[];
}

/** A host whose answers a test makes up; it ends with the test. */
async function serve(answer: Answer): Promise<Server> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response, ranges.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/data.bin`, ranges };
}

/** As an honest host does: whole, or the rest where the validator is still right. */
function honest(request: IncomingMessage, response: ServerResponse, content = CONTENT, etag = '"one"'): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? NaN);
  const isRest = Number.isInteger(from) && request.headers['if-range'] === etag;
  const body = isRest ? content.subarray(from) : content;
  response.writeHead(isRest ? 206 : 200, {
    etag,
    'content-length': body.length,
    ...(isRest && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  });
  response.end(body);
}

/** Promises all and sends half, then hangs up. */
function hangUp(response: ServerResponse, headers: Record<string, string | number> = {}): void {
  response.writeHead(200, { 'content-length': CONTENT.length, etag: '"one"', ...headers });
  response.write(CONTENT.subarray(0, HALF), () => setTimeout(() => response.destroy(), 20));
}

const QUICK: DownloadOptions = { backoffMs: 1, attempts: 3, stallMs: 400 };

function wanted(url: string, more: Partial<WantedFile> = {}): WantedFile {
  return { url, file: path.join(tempFolder(), 'data.bin'), sha256: SHA256, ...more };
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: { code?: string }) => error.code ?? String(error),
  );

describe('a download', () => {
  it('brings the file, says who stated its checksum, and leaves nothing else', async () => {
    const { url } = await serve((request, response) => honest(request, response));
    const want = wanted(url);
    const shares: number[] = [];
    const got = await downloadFile(want, {
      ...QUICK,
      onProgress: (done, total) => shares.push(done / (total ?? NaN)),
    });
    expect(got).toMatchObject({
      bytes: CONTENT.length,
      sha256: SHA256,
      verifiedBy: 'manifest',
      wasThere: false,
    });
    expect(readFileSync(want.file).equals(CONTENT)).toBe(true);
    expect(readdirSync(path.dirname(want.file))).toEqual(['data.bin']);
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBe(1);
  });

  it('goes on where a connection broke', async () => {
    const { url, ranges } = await serve((request, response, count) =>
      count === 1 ? hangUp(response) : honest(request, response),
    );
    const want = wanted(url);
    await downloadFile(want, QUICK);
    expect(readFileSync(want.file).equals(CONTENT)).toBe(true);
    expect(ranges).toHaveLength(2);
    expect(Number(/\d+/.exec(ranges[1]!)![0])).toBeGreaterThan(0);
  });

  it('keeps what came when it is stopped, and the next call goes on', async () => {
    const stop = new AbortController();
    const { url, ranges } = await serve((request, response, count) => {
      if (count > 1) return honest(request, response);
      response.writeHead(200, { 'content-length': CONTENT.length, etag: '"one"' });
      response.write(CONTENT.subarray(0, HALF));
    });
    const want = wanted(url);
    const started = performance.now();
    const stopped = downloadFile(want, {
      ...QUICK,
      signal: stop.signal,
      onProgress: (done) => done >= HALF && stop.abort(),
    });
    expect(await codeOf(stopped)).toBe('STOPPED');
    expect(performance.now() - started).toBeLessThan(1000);
    expect(statSync(`${want.file}.part`).size).toBe(HALF);
    await downloadFile(want, QUICK);
    expect(ranges).toEqual([undefined, `bytes=${HALF}-`]);
    expect(readdirSync(path.dirname(want.file))).toEqual(['data.bin']);
  });

  it('starts anew where the host passes over Range', async () => {
    const { url, ranges } = await serve((_request, response, count) => {
      if (count === 1) return hangUp(response);
      response.writeHead(200, { 'content-length': CONTENT.length, etag: '"one"' });
      response.end(CONTENT);
    });
    const want = wanted(url);
    await downloadFile(want, QUICK);
    expect(ranges).toHaveLength(2);
    expect(readFileSync(want.file).equals(CONTENT)).toBe(true);
  });

  it('starts anew where the file has changed since', async () => {
    const other = Buffer.from(CONTENT).reverse();
    const { url } = await serve((request, response, count) =>
      count === 1 ? hangUp(response) : honest(request, response, other, '"two"'),
    );
    const want = wanted(url, { sha256: createHash('sha256').update(other).digest('hex') });
    await downloadFile(want, QUICK);
    expect(readFileSync(want.file).equals(other)).toBe(true);
  });

  it('joins no parts of two files, also where the host sends the rest of the other one', async () => {
    const other = Buffer.from(CONTENT).reverse();
    const { url } = await serve((request, response, count) => {
      if (count === 1) return hangUp(response);
      // an If-Range that does not match is answered as if it did
      request.headers['if-range'] = '"two"';
      honest(request, response, other, '"two"');
    });
    const want = wanted(url, { sha256: null });
    await downloadFile(want, QUICK);
    expect(readFileSync(want.file).equals(other)).toBe(true);
  });

  it('tries once more from the start where parts do not have the checksum, then says so', async () => {
    const { url, ranges } = await serve((request, response, count) =>
      count === 1 ? hangUp(response) : honest(request, response),
    );
    const want = wanted(url, { sha256: 'a'.repeat(64) });
    expect(await codeOf(downloadFile(want, QUICK))).toBe('HASH_MISMATCH');
    expect(ranges).toHaveLength(3);
    expect(ranges[2]).toBeUndefined();
    expect(readdirSync(path.dirname(want.file))).toEqual([]);
  });

  it('does not take a short answer for the whole where the host promised more', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': CONTENT.length });
      response.write(CONTENT.subarray(0, HALF), () => response.destroy());
    });
    const want = wanted(url);
    expect(await codeOf(downloadFile(want, QUICK))).toMatch(/TRUNCATED|DOWNLOAD_FAILED/);
    expect(existsSync(want.file)).toBe(false);
  });

  it('tells by the checksum where the host promised less than the file has', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': HALF });
      response.end(CONTENT.subarray(0, HALF));
    });
    expect(await codeOf(downloadFile(wanted(url), QUICK))).toBe('HASH_MISMATCH');
    expect(await codeOf(downloadFile(wanted(url, { bytes: CONTENT.length }), QUICK))).toBe('DOWNLOAD_OTHER');
  });

  it.each([
    ['by its type', 'text/html; charset=utf-8', 'sign in'],
    ['by its first bytes', 'application/octet-stream', '<!DOCTYPE html><title>Sign in</title>'],
  ])('refuses a web page in place of the file, %s', async (_name, type, body) => {
    const { url, ranges } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(body);
    });
    const want = wanted(url, { sha256: null });
    expect(await codeOf(downloadFile(want, QUICK))).toBe('DOWNLOAD_OTHER');
    expect(ranges).toHaveLength(1);
    expect(readdirSync(path.dirname(want.file))).toEqual([]);
  });

  it('waits as the host asks, and tries again', async () => {
    const { url, ranges } = await serve((request, response, count) => {
      if (count > 2) return honest(request, response);
      response.writeHead(count === 1 ? 503 : 429, { 'retry-after': '0' });
      response.end();
    });
    await downloadFile(wanted(url), QUICK);
    expect(ranges).toHaveLength(3);
  });

  it.each([
    [403, 'DOWNLOAD_REFUSED'],
    [404, 'DOWNLOAD_MISSING'],
    [418, 'DOWNLOAD_FAILED'],
  ])('does not try again after %i', async (status, code) => {
    const { url, ranges } = await serve((_request, response) => {
      response.writeHead(status);
      response.end();
    });
    expect(await codeOf(downloadFile(wanted(url), QUICK))).toBe(code);
    expect(ranges).toHaveLength(1);
  });

  it('gives up a connection that brings nothing', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': CONTENT.length });
      response.flushHeaders();
    });
    expect(await codeOf(downloadFile(wanted(url), { ...QUICK, attempts: 1, stallMs: 100 }))).toBe(
      'DOWNLOAD_FAILED',
    );
  });

  it('names a host that cannot be reached', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve)); // nobody listens there now
    const want = wanted(`http://127.0.0.1:${port}/data.bin`);
    expect(await codeOf(downloadFile(want, { ...QUICK, attempts: 1 }))).toBe('NO_NETWORK');
  });

  it('believes the checksum that the host states where the release states none', async () => {
    const base64 = Buffer.from(SHA256, 'hex').toString('base64');
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'repr-digest': `sha-256=:${base64}:` });
      response.end(CONTENT);
    });
    expect(await downloadFile(wanted(url, { sha256: null }), QUICK)).toMatchObject({ verifiedBy: 'host' });
    const { url: lying } = await serve((_request, response) => {
      response.writeHead(200, { 'x-linked-etag': `"${'b'.repeat(64)}"` });
      response.end(CONTENT);
    });
    expect(await codeOf(downloadFile(wanted(lying, { sha256: null }), QUICK))).toBe('HASH_MISMATCH');
  });

  it('keeps a file that is there, and touches none of the same name that is another', async () => {
    const { url, ranges } = await serve((request, response) => honest(request, response));
    const want = wanted(url);
    writeFileSync(want.file, CONTENT);
    expect(await downloadFile(want, QUICK)).toMatchObject({ wasThere: true, verifiedBy: 'manifest' });
    writeFileSync(want.file, 'my own');
    expect(await codeOf(downloadFile(want, QUICK))).toBe('FILE_DIFFERS');
    expect(readFileSync(want.file, 'utf8')).toBe('my own');
    expect(ranges).toEqual([]);
  });

  it('asks for room before it begins', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 2 ** 52 });
      response.flushHeaders();
    });
    const want = wanted(url, { sha256: null });
    expect(await codeOf(downloadFile(want, QUICK))).toBe('DISK_FULL');
    expect(readdirSync(path.dirname(want.file))).toEqual([]);
  });
});
