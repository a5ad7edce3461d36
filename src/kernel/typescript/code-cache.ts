import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { cacheFolder } from '../../io/cache-folder.js';

let write: (() => void) | undefined;

/**
 * Loads a CommonJS file with the machine code V8 made of it last time, which halves the time TypeScript takes.
 * Without a usable cache it is loaded as always. The cache is written by `saveCodeCache`.
 */
export function loadCached(file: string): unknown {
  const require = createRequire(file);
  const cacheFile = cacheFileOf(file);
  const cached = readIfThere(cacheFile);
  const source = readFileSync(file, 'utf8');
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    ...(cached && { cachedData: cached }),
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...parameters: unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, path.dirname(file));
  write =
    cached === undefined || script.cachedDataRejected === true
      ? () => writeQuietly(cacheFile, script.createCachedData())
      : undefined;
  return module.exports;
}

/** Keeps the code made so far, once, where no cache was found. Called when the functions of a first cell have run. */
export function saveCodeCache(): void {
  write?.();
  write = undefined;
}

/** One a version of the file, of Node and of V8's flags: V8 refuses the others, and then they would be rewritten for ever. */
function cacheFileOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  const key = [file, size, mtimeMs, process.version, process.arch, ...process.execArgv].join('\n');
  const name = `typescript-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.bin`;
  return path.join(cacheFolder(), 'kernel', name);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** A cache folder that cannot be written costs time and nothing else. */
function writeQuietly(file: string, data: Buffer): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    makeFolder(path.dirname(file));
    try {
      writeFileSync(temporary, data);
      renameSync(temporary, file);
      removeOldest(path.dirname(file));
    } catch {
      rmSync(temporary, { force: true });
    }
  } catch {
    // the next start compiles anew
  }
}

/** Step by step: Node's recursive mkdir never ends where the system denies a folder whose parent is there (`/proc`). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  mkdirSync(folder);
}

/** Each version of Node and of TypeScript leaves one of 4 to 8 MB. */
const KEPT = 4;

function removeOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /^typescript-[0-9a-f]+\.bin$/.test(name))
    .map((name) => path.join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of files.slice(KEPT)) rmSync(file, { force: true });
}
