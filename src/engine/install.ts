import { existsSync } from 'node:fs';
import { rename, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cellSignal } from '../display/kernel-link.js';
import { RunError, StoppedError } from '../errors.js';
import { cacheFolder } from '../io/cache-folder.js';
import { systemCode, writeError } from '../io/file-errors.js';
import { runProcess } from '../io/process.js';
import { makeFolder } from '../io/make-folder.js';
import { removeAbandoned, temporaryBeside } from '../io/temporary.js';
import { extractInto, fetchWheel } from '../io/wheel.js';
import { readEngineManifest, type EngineManifest, type EngineWheel } from '../manifests/engine-manifest.js';
import { compileAddon, findCompiler } from './compile-addon.js';
import { engineFolder, type EngineFlavour } from './engine-folder.js';
import { testAddon } from './load-test.js';
import {
  ADDON_REVISION,
  bindingVersion,
  isOfThisBinding,
  readStamp,
  type EngineStamp,
  type NativeEngine,
} from './native.js';

export interface InstallOptions {
  readonly flavour: EngineFlavour;
  /** Builds anew even where the same engine is there. */
  readonly force?: boolean;
  /** Default: that of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** One line a step, and some lines while something large comes in. */
  readonly onProgress?: (line: string) => void;
}

const ADDON = 'tfjs_binding.node';
const LIBRARIES = ['libtensorflow_cc.so.2', 'libtensorflow_framework.so.2'] as const;

/**
 * Builds the native engine in the cache folder: TensorFlow's libraries and C headers out of its Python wheel,
 * and the addon compiled from the sources in the npm package. Needs g++ and Python 3 with pip; installs nothing
 * outside the cache. All of it happens in a temporary folder, whose last file is `engine.json` and which a
 * rename makes the engine, so it can be killed at any moment and started again, also twice at once.
 * @throws RunError UNSUPPORTED_PLATFORM, NO_COMPILER, DISK_FULL, ENGINE_COMPILE, ENGINE_BROKEN, and what
 *   fetchWheel and extractInto throw; StoppedError when the signal is aborted
 */
export async function installEngine(options: InstallOptions): Promise<NativeEngine> {
  const { flavour } = options;
  const signal = cellSignal(options.signal);
  const target = engineFolder(flavour);
  const manifest = readEngineManifest();
  const there = options.force ? undefined : currentEngine(target, manifest, flavour);
  if (there) return there;
  refuseOtherPlatforms();
  const compiler = await findCompiler(signal);
  const temporary = temporaryBeside(target);
  try {
    await makeFolder(temporary);
    await removeAbandoned(path.dirname(target));
    await refuseFullDisk(temporary, manifest.flavours[flavour].freeBytes);
    const stamp = await build(temporary, compiler, manifest, {
      ...options,
      ...(signal && { signal }),
    });
    await moveInto(
      temporary,
      target,
      (folder) => !options.force && !!currentEngine(folder, manifest, flavour),
    );
    return { addon: path.join(target, ADDON), stamp };
  } catch (cause) {
    if (signal?.aborted)
      throw new StoppedError('The installation of the engine was stopped.', { where: target });
    throw writeError(cause, target);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function build(
  folder: string,
  compiler: string,
  manifest: EngineManifest,
  { flavour, signal, onProgress = () => undefined }: InstallOptions,
): Promise<EngineStamp> {
  const { wheel, libraries } = manifest.flavours[flavour];
  const addon = path.join(folder, ADDON);
  const unpack = (source: EngineWheel, pick: (name: string) => boolean): Promise<void> =>
    unpackWheel(source, pick, folder, manifest, { onProgress, ...(signal && { signal }) });

  await unpack(wheel, isLibraryOrHeader);
  onProgress(`compiling the addon with ${compiler}`);
  const fusedKernels = await compileAddon(folder, addon, signal);
  await stripLibraries(path.join(folder, 'tensorflow'), signal);
  // GPU: the libraries look for CUDA in ../nvidia/*/lib beside their own folder, says their RUNPATH. Built and
  // loaded on a machine without a GPU; not tried on one with a GPU.
  for (const library of libraries)
    await unpack(library, (name) => name.startsWith('nvidia/') && !name.endsWith('.a'));
  onProgress('testing the engine');
  await testAddon(addon, manifest.version, signal);

  const stamp: EngineStamp = {
    flavour,
    tensorflow: manifest.version,
    wheel: wheel.name,
    wheelSha256: wheel.sha256,
    compiler,
    binding: bindingVersion(),
    revision: ADDON_REVISION,
    fusedKernels,
  };
  await writeFile(path.join(folder, 'engine.json'), `${JSON.stringify(stamp, null, 2)}\n`, { flush: true });
  return stamp;
}

/** About 0.5 MB of headers and two libraries of a wheel with twenty thousand files. */
const isLibraryOrHeader = (name: string): boolean =>
  LIBRARIES.some((library) => name === `tensorflow/${library}`) ||
  name.startsWith('tensorflow/include/tensorflow/c/') ||
  name.startsWith('tensorflow/include/xla/tsl/c/') ||
  (name.startsWith('tensorflow/include/') && name.includes('/platform/ctstring'));

/** Wheels are kept in the cache only where `GONDWANA_KEEP_WHEELS` is set; a kept one is used in any case. */
async function unpackWheel(
  wheel: EngineWheel,
  pick: (name: string) => boolean,
  folder: string,
  manifest: EngineManifest,
  { signal, onProgress }: { readonly signal?: AbortSignal; readonly onProgress: (line: string) => void },
): Promise<void> {
  const kept = path.join(cacheFolder(), 'wheels');
  const isKept = Boolean(process.env.GONDWANA_KEEP_WHEELS) || existsSync(path.join(kept, wheel.file));
  const pin = { ...wheel, platform: manifest.platforms, pythonVersion: manifest.pythonVersion };
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  onProgress(`getting ${wheel.name} ${wheel.version} (${megabytes(wheel.bytes)})`);
  let tenths = 0;
  const file = await fetchWheel(pin, {
    folder: isKept ? kept : path.join(folder, 'wheels'),
    ...(signal && { signal }),
    onProgress: (done) => {
      const now = Math.floor((10 * Math.min(done, wheel.bytes)) / wheel.bytes);
      if (now > tenths) onProgress(`  ${megabytes(done)} of ${megabytes(wheel.bytes)}`);
      tenths = Math.max(tenths, now);
    },
  });
  onProgress(`unpacking ${wheel.name}`);
  const limits = { maxRatio: Infinity, ...(signal && { signal }) }; // the hash of the wheel is known
  await extractInto(file, ({ name }) => (pick(name) ? name : undefined), folder, limits);
  if (!isKept) await rm(path.join(folder, 'wheels'), { recursive: true, force: true });
}

/** Saves a quarter of the space; the library works the same without, so a missing or failing strip is no error. */
async function stripLibraries(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const files = LIBRARIES.map((name) => path.join(folder, name));
  await runProcess('strip', ['--strip-unneeded', ...files], { signal }).catch((cause: unknown) => {
    if (systemCode(cause) !== 'ENOENT') throw cause;
  });
}

/** The engine in a folder if it was made of the wheel and the binding that this version wants. */
function currentEngine(
  folder: string,
  manifest: EngineManifest,
  flavour: EngineFlavour,
): NativeEngine | undefined {
  const addon = path.join(folder, ADDON);
  const stamp = readStamp(path.join(folder, 'engine.json'));
  if (!stamp || !existsSync(addon)) return undefined;
  const isCurrent = stamp.wheelSha256 === manifest.flavours[flavour].wheel.sha256 && isOfThisBinding(stamp);
  return isCurrent ? { addon, stamp } : undefined;
}

/** Puts a finished folder in its place; what was there goes, unless another process was first with the same. */
async function moveInto(
  finished: string,
  target: string,
  isSame: (folder: string) => boolean,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(finished, target);
    } catch (cause) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(cause)) || attempt === 3) throw cause;
    }
    if (isSame(target)) return;
    const aside = temporaryBeside(target);
    await rename(target, aside).catch(() => undefined); // another process may have moved it
    await rm(aside, { recursive: true, force: true });
  }
}

function refuseOtherPlatforms(): void {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  throw new RunError(
    'UNSUPPORTED_PLATFORM',
    `The native engine is not built on ${process.platform} ${process.arch}.`,
    {
      hint: 'It is checked on Linux x64 (on Windows: in WSL2). The engines wasm and cpu work here, more slowly.',
    },
  );
}

async function refuseFullDisk(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
  throw new RunError(
    'DISK_FULL',
    `Building the engine takes ${gigabytes(needed)} GB; ${gigabytes(free)} GB are free.`,
    {
      where: path.dirname(folder),
      hint: 'Free some space, or set GONDWANA_CACHE to a folder on a larger disk.',
    },
  );
}
