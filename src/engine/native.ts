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

/** The complete engine in the cache, the GPU one first; undefined where none was installed. */
export function findNativeEngine(): NativeEngine | undefined {
  for (const flavour of ['gpu', 'cpu'] as const) {
    const folder = engineFolder(flavour);
    const stampFile = path.join(folder, 'engine.json');
    if (!existsSync(stampFile)) continue;
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8')) as EngineStamp;
    return { addon: path.join(folder, 'tfjs_binding.node'), stamp };
  }
  return undefined;
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
