import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { cellSignal } from '../../display/kernel-link.js';
import { type GondwanaError, InputError, RunError, StoppedError } from '../../errors.js';
import { messageOf, systemCode, writeError } from '../file-errors.js';
import { makeFolder } from '../make-folder.js';
import { requireFile } from '../regular-file.js';
import type { StatedDigest } from './host-digest.js';
import { PartFile } from './part-file.js';
import { PassingFailure, transfer, type Transferred } from './transfer.js';

/** A file of a release. */
export interface WantedFile {
  readonly url: string;
  /** Where it goes. */
  readonly file: string;
  /** Hexadecimal; null: not published. */
  readonly sha256: string | null;
  readonly md5?: string | null;
  readonly bytes?: number | null;
}

export interface DownloadOptions {
  /** Default: that of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** Bytes so far, and in all where that is known. */
  readonly onProgress?: (done: number, total: number | null, what: string) => void;
  /** Attempts that bring nothing new before it is given up; default 5. */
  readonly attempts?: number;
  /** Wait after the first of them, ms, doubled with each; default 1000. */
  readonly backoffMs?: number;
  /** A connection that brings nothing for so long is given up, ms; default 30,000. */
  readonly stallMs?: number;
}

export interface DownloadedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Who stated the checksum that it has; null: nobody did. */
  readonly verifiedBy: 'manifest' | 'host' | null;
  /** It was there, whole, and nothing was downloaded. */
  readonly wasThere: boolean;
}

/**
 * Downloads a file over HTTP. What a broken or stopped download has brought stays beside it as `FILE.part` and is continued
 * by the next call, as long as the host still has the same file; under its own name it appears only when it is whole and
 * has the checksum that the release or the host states.
 * @throws RunError NO_NETWORK, TRUNCATED, DOWNLOAD_FAILED, DOWNLOAD_REFUSED, DOWNLOAD_MISSING, DOWNLOAD_OTHER, HASH_MISMATCH,
 *   DISK_FULL, WRITE_FAILED; InputError FILE_DIFFERS, NO_PERMISSION, READ_ONLY, NOT_A_FOLDER, NOT_A_FILE; StoppedError
 */
export async function downloadFile(wanted: WantedFile, given: DownloadOptions = {}): Promise<DownloadedFile> {
  const signal = cellSignal(given.signal);
  const options: DownloadOptions = { ...given, ...(signal && { signal }) };
  const { file } = wanted;
  try {
    await makeFolder(path.dirname(file));
    if (existsSync(file)) return await whatIsThere(wanted, options);
    return await fetchWhole(wanted, options);
  } catch (cause) {
    if (signal?.aborted) {
      throw new StoppedError(`The download of ${path.basename(file)} was stopped.`, {
        where: file,
        hint: 'The same command goes on where this one stopped.',
        cause,
      });
    }
    throw writeError(cause, file);
  }
}

async function whatIsThere(wanted: WantedFile, options: DownloadOptions): Promise<DownloadedFile> {
  const { file, bytes = null } = wanted;
  await requireFile(file);
  const { size } = await stat(file);
  const stated = statedBy(wanted);
  options.onProgress?.(size, size, `checking ${path.basename(file)}`);
  const digests = await digestsOf(file, options.signal);
  if ((stated && digests[stated.algorithm] !== stated.hex) || (bytes !== null && bytes !== size)) {
    throw new InputError('FILE_DIFFERS', 'A file of this name is there, and it is not that of the release.', {
      where: file,
      hint: 'Remove it, or name another folder.',
    });
  }
  return { file, bytes: size, sha256: digests.sha256, verifiedBy: stated?.by ?? null, wasThere: true };
}

async function fetchWhole(wanted: WantedFile, options: DownloadOptions): Promise<DownloadedFile> {
  const { file, url } = wanted;
  const part = new PartFile(file);
  for (let round = 0; ; round++) {
    const { resumedFrom, digest } = await bringAll(wanted, part, options);
    const size = await part.size();
    const stated = statedBy(wanted) ?? digest;
    options.onProgress?.(size, size, `checking ${path.basename(file)}`);
    const digests = await digestsOf(part.path, options.signal);
    if (!stated || digests[stated.algorithm] === stated.hex) {
      await part.finish();
      return { file, bytes: size, sha256: digests.sha256, verifiedBy: stated?.by ?? null, wasThere: false };
    }
    await part.remove();
    // parts of two files may have come together: once more, from the start
    if (resumedFrom > 0 && round === 0) continue;
    throw new RunError(
      'HASH_MISMATCH',
      `The file has ${stated.algorithm} ${digests[stated.algorithm]}, expected ${stated.hex}.`,
      {
        where: url,
        hint: `${stated.by === 'manifest' ? 'The release' : 'The host'} states the checksum. What came was removed: start again; if it happens again, the host serves another file.`,
      },
    );
  }
}

/** Attempts until all bytes are there; one that brings something new is no failure. */
async function bringAll(wanted: WantedFile, part: PartFile, options: DownloadOptions): Promise<Transferred> {
  const { attempts = 5, backoffMs = 1000, stallMs = 30_000, onProgress, signal } = options;
  const name = path.basename(wanted.file);
  let most = 0;
  let resumed = 0;
  for (let failures = 0; ;) {
    let done = 0;
    try {
      const onBytes = (bytes: number, total: number | null): void => {
        done = bytes;
        onProgress?.(bytes, total, name);
      };
      const bytes = wanted.bytes ?? null;
      const got = await transfer({ url: wanted.url, part, bytes, signal, stallMs, onBytes });
      return { ...got, resumedFrom: Math.max(resumed, got.resumedFrom) };
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      resumed = Math.max(resumed, done);
      failures = done > most ? 1 : failures + 1;
      most = Math.max(most, done);
      if (failures >= attempts) throw givenUp(error, wanted, done);
      onProgress?.(done, null, `${name}: ${error.message}; trying again`);
      await wait(error.waitMs ?? backoffMs * 2 ** (failures - 1), undefined, signal ? { signal } : {});
    }
  }
}

const UNREACHABLE = /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function givenUp(failure: PassingFailure, { url }: WantedFile, done: number): GondwanaError {
  const cause = failure.cause instanceof Error ? failure.cause.cause : undefined;
  if (UNREACHABLE.test(systemCode(cause))) {
    return new RunError('NO_NETWORK', `The host cannot be reached: ${messageOf(cause)}.`, {
      where: url,
      hint: 'Connect to the network. Behind a proxy, download by hand into the same folder.',
      cause: failure,
    });
  }
  const isCut = done > 0;
  return new RunError(
    isCut ? 'TRUNCATED' : 'DOWNLOAD_FAILED',
    `The download does not get through: ${failure.message}.`,
    {
      where: url,
      hint: isCut ? 'What came is kept: the same command goes on.' : 'Try again later, or download by hand.',
      cause: failure,
    },
  );
}

function statedBy({ sha256, md5 }: WantedFile): StatedDigest | undefined {
  if (sha256) return { algorithm: 'sha256', hex: sha256, by: 'manifest' };
  return md5 ? { algorithm: 'md5', hex: md5, by: 'manifest' } : undefined;
}

/** Both digests in one pass. */
async function digestsOf(
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ sha256: string; md5: string }> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  await pipeline(
    createReadStream(file, { highWaterMark: 2 ** 20 }),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        sha256.update(chunk);
        md5.update(chunk);
      }
    },
    signal ? { signal } : {},
  );
  return { sha256: sha256.digest('hex'), md5: md5.digest('hex') };
}
