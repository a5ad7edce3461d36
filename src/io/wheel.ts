import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type GondwanaError, InputError, RunError, StoppedError } from '../errors.js';
import { cellSignal } from '../display/kernel-link.js';
import { cacheFolder } from './cache-folder.js';
import { messageOf, readError, systemCode, writeError } from './file-errors.js';
import { makeFolder } from './make-folder.js';
import { lastLines, runProcess, type ProcessResult } from './process.js';
import { requireFile } from './regular-file.js';
import { removeAbandoned, temporaryBeside } from './temporary.js';
import { ZipArchive, type ExtractOptions, type ZipEntry } from './zip.js';

/** One wheel of the Python Package Index, pinned. */
export interface WheelPin {
  readonly name: string;
  readonly version: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** File name of the wheel. */
  readonly file: string;
  /** Length of the file, where known: tells a cut-off download from another file, and gives progress. */
  readonly bytes?: number;
  /** Platform tags to accept; default: this machine's. */
  readonly platform?: string | readonly string[];
  /** e.g. `3.11`; default: the version of the `python3` that downloads. */
  readonly pythonVersion?: string;
}

export interface FetchOptions {
  /** Folder that keeps wheels; default `wheels` in the cache folder. */
  readonly folder?: string;
  /** Default: that of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** Bytes so far, and in all where the pin knows them; several times a second. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

const POLL_MS = 250;

/**
 * Path of a wheel in the cache, downloaded by `python3 -m pip download` if it is not there yet. The file is
 * hashed at every call; one with another hash is removed and downloaded again, once. A download appears
 * under its name only when it is whole, so a kill at any moment leaves nothing that is taken for a wheel, and
 * processes that download the same wheel at once do not disturb each other.
 * @throws RunError NO_PYTHON, NO_PIP, NO_NETWORK, WHEEL_UNAVAILABLE, PIP_FAILED, HASH_MISMATCH, TRUNCATED,
 *   DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER, NOT_A_FILE (something else has the
 *   wheel's name and stays); StoppedError when the signal is aborted
 */
export async function fetchWheel(pin: WheelPin, given: FetchOptions = {}): Promise<string> {
  const signal = cellSignal(given.signal);
  const options: FetchOptions = { ...given, ...(signal && { signal }) };
  const folder = options.folder ?? path.join(cacheFolder(), 'wheels');
  const file = path.join(folder, pin.file);
  if (await exists(file)) {
    if ((await sha256OfFile(file, options.signal)) === pin.sha256) return file;
    await rm(file, { force: true }).catch((cause: unknown) => {
      throw writeError(cause, file);
    });
  }
  const temporary = temporaryBeside(file);
  try {
    await makeFolder(temporary);
    await removeAbandoned(folder);
    await download(pin, temporary, options);
    const got = await findDownloaded(pin, temporary);
    await verify(pin, got, file, options.signal);
    await flush(got);
    await rename(got, file);
    return file;
  } catch (cause) {
    if (options.signal?.aborted)
      throw new StoppedError(`The download of ${pin.file} was stopped.`, { where: folder });
    throw writeError(cause, file);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Unpacks chosen files of a wheel into the folder `target`, all or nothing; a target that exists is complete
 * and stays. `pick` gives the path below the target, or undefined to leave a file out. Returns `target`.
 * @throws InputError ZIP_MALFORMED, ZIP_UNSAFE, ZIP_TOO_LARGE, WHEEL_CONTENT (nothing picked); RunError DISK_FULL
 */
export async function extractFromWheel(
  wheel: string,
  pick: (entry: ZipEntry) => string | undefined,
  target: string,
  given: ExtractOptions = {},
): Promise<string> {
  const signal = cellSignal(given.signal);
  const options: ExtractOptions = { ...given, ...(signal && { signal }) };
  if (await exists(target)) return target;
  const temporary = temporaryBeside(target);
  try {
    await makeFolder(temporary);
    await removeAbandoned(path.dirname(target));
    await extractInto(wheel, pick, temporary, options);
    await rename(temporary, target).catch((cause: unknown) => {
      // another process was first; what it made is the same
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(cause))) throw cause;
    });
    return target;
  } catch (cause) {
    if (options.signal?.aborted)
      throw new StoppedError(`Unpacking ${path.basename(wheel)} was stopped.`, { where: target });
    throw writeError(cause, target);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Unpacks chosen files of a wheel into a folder that is the caller's own; not atomic. */
export async function extractInto(
  wheel: string,
  pick: (entry: ZipEntry) => string | undefined,
  folder: string,
  options: ExtractOptions = {},
): Promise<string[]> {
  const zip = await ZipArchive.open(wheel);
  try {
    const files = await zip.extract(pick, folder, options);
    if (files.length > 0) return files;
    throw new InputError('WHEEL_CONTENT', 'The wheel holds none of the files that were wanted.', {
      where: wheel,
      hint: 'The wheel is another release than the one this version was made for.',
    });
  } finally {
    zip.close();
  }
}

/**
 * Hexadecimal digest of a file, read as a stream.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE; RunError READ_FAILED; StoppedError when the signal is
 *   aborted
 */
export async function sha256OfFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await requireFile(file);
  try {
    await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), hash, signal ? { signal } : {});
  } catch (cause) {
    if (signal?.aborted) throw new StoppedError('Reading the file was stopped.', { where: file });
    throw readError(cause, file);
  }
  return hash.digest('hex');
}

async function download(pin: WheelPin, folder: string, { signal, onProgress }: FetchOptions): Promise<void> {
  const platforms = pin.platform === undefined ? [] : [pin.platform].flat();
  const args = [
    ...['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--no-cache-dir'],
    ...['--disable-pip-version-check', '--progress-bar', 'off', '--retries', '2', '--timeout', '20'],
    ...platforms.flatMap((tag) => ['--platform', tag]),
    ...(pin.pythonVersion ? ['--python-version', pin.pythonVersion] : []),
    ...['--dest', folder, `${pin.name}==${pin.version}`],
  ];
  let isOver = false;
  const report = (done: number): void => void (isOver || onProgress?.(done, pin.bytes));
  const timer = onProgress && setInterval(() => void folderBytes(folder).then(report), POLL_MS);
  try {
    // pip's own temporary files go into our folder, so that they are removed with it and can be measured
    const result = await runProcess('python3', args, { signal, env: { TMPDIR: folder, LC_ALL: 'C' } });
    if (result.status !== 0) throw pipError(pin, result, folder);
  } catch (cause) {
    if (isSpawnError(cause)) throw noPython(cause);
    throw cause;
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}

const isSpawnError = (cause: unknown): boolean =>
  String((cause as NodeJS.ErrnoException | undefined)?.syscall).startsWith('spawn');

const noPython = (cause: unknown): RunError =>
  new RunError('NO_PYTHON', `${noPythonReason(cause)}; its pip downloads wheels.`, {
    where: 'PATH',
    hint: 'Install Python 3 with pip (Debian, Ubuntu: sudo apt install python3 python3-pip).',
    cause,
  });

function noPythonReason(cause: unknown): string {
  const code = systemCode(cause);
  if (code === 'ENOENT') return 'There is no python3';
  if (code === 'EACCES') return 'The python3 on the path may not be executed (EACCES)';
  return `python3 cannot be started (${messageOf(cause)})`;
}

const NETWORK =
  /NewConnectionError|ConnectTimeout|Read timed out|ReadTimeout|Connection (?:refused|reset|broken|aborted)|name resolution|Name or service not known|Network is unreachable|ProxyError|SSLError|Max retries exceeded|Could not fetch URL|There was a problem confirming the ssl/i;

function pipError(pin: WheelPin, result: ProcessResult, folder: string): GondwanaError {
  const output = lastLines(`${result.stdout}\n${result.stderr}`);
  const ending = result.killedBy
    ? `was ended by ${result.killedBy}`
    : `failed with exit status ${result.status}`;
  const cause = new Error(output || `pip ${ending}`);
  const where = `pip download ${pin.name}==${pin.version}`;
  if (/No module named '?pip/.test(output)) {
    return new RunError('NO_PIP', 'Python 3 is there, but it has no pip.', {
      where: 'python3 -m pip',
      hint: 'Install pip (Debian, Ubuntu: sudo apt install python3-pip; elsewhere: python3 -m ensurepip --user).',
      cause,
    });
  }
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    return writeError(Object.assign(cause, { code: 'ENOSPC' }), path.join(path.dirname(folder), pin.file));
  }
  if (/IncompleteRead|incomplete-download|Download failed because not enough bytes/.test(output)) {
    return truncated(pin, where, 'The connection ended before the whole file had come.', cause);
  }
  if (NETWORK.test(output)) {
    return new RunError('NO_NETWORK', 'pip cannot reach the package index.', {
      where,
      hint: 'Connect to the network, or set the proxy (HTTPS_PROXY) or the index (PIP_INDEX_URL), then start again.',
      cause,
    });
  }
  if (/No matching distribution found|Could not find a version/.test(output)) {
    return new RunError('WHEEL_UNAVAILABLE', `The package index has no ${pin.file}.`, {
      where,
      hint: 'Check that the index in use (pip config list) is complete and that pip is recent.',
      cause,
    });
  }
  return new RunError(
    'PIP_FAILED',
    `pip ${ending}${output ? `: ${lastLines(output, 1)}` : ' and said nothing.'}`,
    {
      where,
      hint: 'Run the command by hand to see all it prints.',
      cause,
    },
  );
}

async function findDownloaded(pin: WheelPin, folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  if (names.includes(pin.file)) return path.join(folder, pin.file);
  throw new RunError('WHEEL_UNAVAILABLE', `pip delivered ${names[0] ?? 'no file'} instead of ${pin.file}.`, {
    where: `pip download ${pin.name}==${pin.version}`,
    hint: 'Check the index that pip uses (pip config list).',
  });
}

async function verify(
  pin: WheelPin,
  got: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const digest = await sha256OfFile(got, signal);
  if (digest === pin.sha256) return;
  const { size } = await stat(got);
  const isCutOff = pin.bytes === undefined ? !(await hasZipEnd(got)) : size < pin.bytes;
  if (isCutOff)
    throw truncated(pin, file, `${size} of ${pin.bytes ?? 'an unknown number of'} bytes arrived.`);
  throw new RunError('HASH_MISMATCH', `${pin.file} has sha256 ${digest}, expected ${pin.sha256}.`, {
    where: file,
    hint: 'The file was removed. Start again; if it happens again, the index that pip uses serves another file.',
  });
}

const truncated = (pin: WheelPin, where: string, what: string, cause?: unknown): RunError =>
  new RunError('TRUNCATED', `The download of ${pin.file} is cut off. ${what}`, {
    where,
    hint: 'The part was removed. Start again.',
    cause,
  });

/** A whole zip archive ends with a list of its entries, found in its last 64 KiB. */
async function hasZipEnd(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const tail = Buffer.alloc(Math.min(size, 65_557));
    await handle.read(tail, 0, tail.length, size - tail.length);
    return tail.includes(Buffer.from('PK\x05\x06', 'latin1'));
  } finally {
    await handle.close();
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [] as string[]);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
