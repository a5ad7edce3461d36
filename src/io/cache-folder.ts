import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Downloads, weights and engines live here, shared by all projects of a user and safe to delete:
 * `GONDWANA_CACHE`, else `$XDG_CACHE_HOME/gondwana`, else `~/.cache/gondwana`.
 */
export function cacheFolder(): string {
  if (process.env.GONDWANA_CACHE) return path.resolve(process.env.GONDWANA_CACHE);
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'gondwana');
}
