import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Downloads, weights and engines live here, shared by all projects of a user and safe to delete:
 * `GONDWANA_CACHE`, else `$XDG_CACHE_HOME/gondwana`, else `~/.cache/gondwana`.
 */
export function cacheFolder(): string {
  if (process.env.GONDWANA_CACHE) return path.resolve(process.env.GONDWANA_CACHE);
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'gondwana');
}

/** TensorFlow release whose C library the addon is compiled against. */
export const TENSORFLOW_VERSION = '2.21.0';

export type EngineFlavour = 'cpu' | 'gpu';

/** Folder of one native engine: library, headers, addon and `engine.json`, which is written last. */
export const engineFolder = (flavour: EngineFlavour = 'cpu'): string =>
  path.join(cacheFolder(), 'engine', `tensorflow-${TENSORFLOW_VERSION}-${flavour}-${process.platform}-${process.arch}`);
