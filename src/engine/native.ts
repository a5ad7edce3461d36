import { existsSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import path from 'node:path';
import util from 'node:util';
import { engineFolder, type EngineFlavour } from './engine-folder.js';

/** What `engine install` wrote down, last of all, about the engine it made. */
export interface EngineStamp {
  readonly flavour: EngineFlavour;
  readonly tensorflow: string;
  readonly wheel: string;
  readonly wheelSha256: string;
  readonly compiler: string;
  readonly binding: string;
  /** Of our changes to it; none before there were any. */
  readonly revision?: number;
  /** Whether our kernels are compiled in. */
  readonly fusedKernels?: boolean;
}

export interface NativeEngine {
  readonly addon: string;
  readonly stamp: EngineStamp;
}

/** The node module loader's inner function, through which tfjs-node asks where its addon lies. */
interface ModuleLoader {
  _load(request: string, parent: { filename?: string } | undefined, isMain: boolean): unknown;
}

let hookedAddon: string | undefined;

/** Raised when what we compile of the same sources changes. */
export const ADDON_REVISION = 4;

/** Version of the binding whose sources the addon is compiled from. */
export function bindingVersion(): string {
  const file = createRequire(import.meta.url).resolve('@tensorflow/tfjs-node/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Complete engines in the cache that fit this version, the GPU one first. A damaged or outdated one does not count. */
export function findNativeEngines(): NativeEngine[] {
  return (['gpu', 'cpu'] as const).flatMap((flavour) => {
    const folder = engineFolder(flavour);
    const addon = path.join(folder, 'tfjs_binding.node');
    const stamp = readStamp(path.join(folder, 'engine.json'));
    return stamp && isOfThisBinding(stamp) && existsSync(addon) ? [{ addon, stamp }] : [];
  });
}

/** Whether the addon was compiled from the sources that this version would compile. */
export const isOfThisBinding = ({ binding, revision }: EngineStamp): boolean =>
  binding === bindingVersion() && revision === ADDON_REVISION;

/** @returns undefined where there is none, or none that can be read */
export function readStamp(file: string): EngineStamp | undefined {
  try {
    const stamp = JSON.parse(readFileSync(file, 'utf8')) as Partial<EngineStamp> | null;
    return typeof stamp?.flavour === 'string' && typeof stamp.binding === 'string'
      ? (stamp as EngineStamp)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Points `@tensorflow/tfjs-node` at our addon and loads it. The hook stays in place, so that packages
 * which load tfjs-node themselves (danfojs-node) find the same addon.
 * @throws whatever the loader says: a missing library, a wrong processor
 */
export function loadNativeBackend(addon: string): void {
  // tfjs-node 4.22 calls a function that Node 23 removed
  const legacy = util as unknown as { isNullOrUndefined?: (value: unknown) => boolean };
  legacy.isNullOrUndefined ??= (value) => value === null || value === undefined;
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2';
  if (hookedAddon === undefined) {
    const loader = Module as unknown as ModuleLoader;
    const load = loader._load.bind(loader);
    loader._load = (request, parent, isMain) =>
      request === '@mapbox/node-pre-gyp' && parent?.filename?.includes('tfjs-node')
        ? { find: () => hookedAddon }
        : load(request, parent, isMain);
  }
  hookedAddon = addon;
  createRequire(import.meta.url)('@tensorflow/tfjs-node');
}
