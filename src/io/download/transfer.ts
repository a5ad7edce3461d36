import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { RunError } from '../../errors.js';
import { messageOf, writeError } from '../file-errors.js';
import { describeImpostor, SNIFF_BYTES } from '../sniff.js';
import { hostDigest, type StatedDigest } from './host-digest.js';
import type { PartFile, PartState } from './part-file.js';

export interface TransferOptions {
  readonly url: string;
  readonly part: PartFile;
  /** Bytes that the whole file must have, where the release says so. */
  readonly bytes: number | null;
  readonly signal: AbortSignal | undefined;
  /** A connection that brings nothing for so long is given up, ms. */
  readonly stallMs: number;
  readonly onBytes: (done: number, total: number | null) => void;
}

export interface Transferred {
  /** Bytes that an earlier attempt had brought. */
  readonly resumedFrom: number;
  readonly digest: StatedDigest | undefined;
}

/** A failure that may pass: the next attempt goes on where this one ended. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  constructor(
    message: string,
    /** What the host asks to wait, ms. */
    readonly waitMs?: number,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Room that must be left on the disk. */
const SPARE_BYTES = 64 * 2 ** 20;

/**
 * One attempt to bring the rest of a file into its part.
 * @throws PassingFailure; RunError DOWNLOAD_REFUSED, DOWNLOAD_MISSING, DOWNLOAD_FAILED, DOWNLOAD_OTHER, DISK_FULL
 */
export async function transfer(options: TransferOptions): Promise<Transferred> {
  const { url, part, signal, stallMs } = options;
  const known = await part.resumable(url);
  const stall = new AbortController();
  let timer = setTimeout(() => stall.abort(), stallMs);
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(), stallMs);
  };
  try {
    const response = await fetch(url, {
      headers: {
        'accept-encoding': 'identity', // a packed answer has another length, and cannot be continued
        ...(known && {
          range: `bytes=${known.bytes}-`,
          'if-range': known.state.etag ?? known.state.lastModified!,
        }),
      },
      signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
    });
    alive();
    return await receive(response, known, options, alive);
  } catch (cause) {
    signal?.throwIfAborted();
    if (stall.signal.aborted)
      throw new PassingFailure(`Nothing came for ${stallMs / 1000} s`, undefined, cause);
    if (cause instanceof TypeError) throw new PassingFailure(networkMessage(cause), undefined, cause);
    throw cause;
  } finally {
    clearTimeout(timer);
    stall.abort(); // an answer that is not wanted to its end
  }
}

const networkMessage = (error: TypeError): string =>
  error.cause === undefined ? error.message : messageOf(error.cause) || error.message;

interface Known {
  readonly bytes: number;
  readonly state: PartState;
}

async function receive(
  response: Response,
  known: Known | undefined,
  options: TransferOptions,
  alive: () => void,
): Promise<Transferred> {
  const { url, part } = options;
  const { status, headers } = response;
  const digest = hostDigest(headers);
  if (status === 416 && known) {
    const total = Number(
      /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? known.state.total ?? NaN,
    );
    if (total === known.bytes) return { resumedFrom: known.bytes, digest };
    await part.remove();
    throw new PassingFailure('The host has another file than before');
  }
  if (status === 206 && known) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
    const total = range?.[2] === '*' ? null : Number(range?.[2]);
    const isSame =
      Number(range?.[1]) === known.bytes &&
      (total === null || known.state.total === null || total === known.state.total) &&
      sameValidator(headers, known.state);
    if (!isSame) {
      // the host passes over If-Range and sends the rest of another file
      await part.remove();
      throw new PassingFailure('The host has another file than before');
    }
    const whole = total ?? known.state.total;
    await requireRoom(part.path, whole === null ? 0 : whole - known.bytes);
    await save(response, known.bytes, whole, options, alive);
    return { resumedFrom: known.bytes, digest };
  }
  if (status !== 200) throw refusal(response, url);
  const state = stateOf(url, headers);
  refuseOther(headers, state.total, options);
  await requireRoom(part.path, state.total ?? 0);
  await part.begin(state);
  await save(response, 0, state.total, options, alive);
  return { resumedFrom: 0, digest };
}

function stateOf(url: string, headers: Headers): PartState {
  const etag = headers.get('etag');
  const length = Number(headers.get('content-length') ?? NaN);
  return {
    url,
    // a weak one stands for contents that differ in bytes
    etag: etag !== null && !etag.startsWith('W/') ? etag : null,
    lastModified: headers.get('last-modified'),
    total: Number.isSafeInteger(length) && length >= 0 ? length : null,
  };
}

function sameValidator(headers: Headers, { etag, lastModified }: PartState): boolean {
  const [nowEtag, nowModified] = [headers.get('etag'), headers.get('last-modified')];
  if (etag !== null && nowEtag !== null) return etag === nowEtag;
  return lastModified === null || nowModified === null || lastModified === nowModified;
}

/** @throws RunError DOWNLOAD_OTHER for a web page, or a length that the release's file has not */
function refuseOther(headers: Headers, total: number | null, { url, part, bytes }: TransferOptions): void {
  const type = headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(type) && !/\.html?$/i.test(part.path.slice(0, -'.part'.length)))
    throw other(url, 'The host sent a web page in place of the file.');
  if (bytes !== null && total !== null && total !== bytes)
    throw other(url, `The host has a file of ${total} bytes; the release's has ${bytes}.`);
}

const other = (url: string, message: string): RunError =>
  new RunError('DOWNLOAD_OTHER', message, {
    where: url,
    hint: 'Open the address in a browser: it may ask to sign in, or to accept terms. Then download by hand.',
  });

function refusal({ status, statusText, headers }: Response, url: string): Error {
  const said = `${status}${statusText ? ` ${statusText}` : ''}`;
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const seconds = Number(headers.get('retry-after') ?? NaN);
    return new PassingFailure(
      `The host answers ${said}`,
      Number.isFinite(seconds) ? Math.min(seconds, 60) * 1000 : undefined,
    );
  }
  if (status === 401 || status === 403) {
    return new RunError('DOWNLOAD_REFUSED', `The host does not give the file away (${said}).`, {
      where: url,
      hint: 'Sign in there and accept its terms, then download by hand.',
    });
  }
  if (status === 404 || status === 410) {
    return new RunError('DOWNLOAD_MISSING', `The host has no such file (${said}).`, {
      where: url,
      hint: 'The release has moved: look for it on its homepage.',
    });
  }
  return new RunError('DOWNLOAD_FAILED', `The host answers ${said}.`, {
    where: url,
    hint: 'Open the address in a browser, or download by hand.',
  });
}

async function save(
  response: Response,
  from: number,
  total: number | null,
  { url, part, onBytes }: TransferOptions,
  alive: () => void,
): Promise<void> {
  const handle = await part.continueAt(from);
  let done = from;
  onBytes(done, total);
  try {
    const head: Uint8Array[] = [];
    let headBytes = from;
    for await (const chunk of bytesOf(response)) {
      alive();
      if (headBytes < SNIFF_BYTES) {
        head.push(chunk);
        headBytes += chunk.length;
        if (from === 0) await refuseImpostor(Buffer.concat(head), total, url, part);
      }
      await handle.writeFile(chunk).catch((cause: unknown) => {
        throw writeError(cause, part.path);
      });
      done += chunk.length;
      onBytes(done, total);
    }
  } finally {
    await handle.close();
  }
  if (total !== null && done < total) throw new PassingFailure(`${done} of ${total} bytes arrived`);
}

/** The body in the pieces in which it comes. */
async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array, void, void> {
  // the types know of no iterator of a stream
  if (body) yield* body as unknown as AsyncIterable<Uint8Array>;
}

/** @throws RunError DOWNLOAD_OTHER for what is no data by its first bytes: a web page, a pointer to a file elsewhere */
async function refuseImpostor(
  head: Uint8Array,
  total: number | null,
  url: string,
  part: PartFile,
): Promise<void> {
  const impostor = describeImpostor(head, total ?? head.length);
  if (!impostor) return;
  await part.remove();
  throw other(url, `The host sent something else than the file. ${impostor.what}`);
}

/** @throws RunError DISK_FULL, before anything is written */
async function requireRoom(file: string, bytes: number): Promise<void> {
  const folder = path.dirname(file);
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
  if (free >= bytes + SPARE_BYTES) return;
  const size = (count: number): string => `${(count / 1e9).toFixed(2)} GB`;
  throw new RunError('DISK_FULL', `The download needs ${size(bytes)}, and ${size(free)} are free.`, {
    where: folder,
    hint: 'Make room, or choose a folder on another disk; what is there already is kept.',
  });
}
