import { fileURLToPath } from 'node:url';
import path from 'node:path';

/**
 * Path of a compiled module of this package, e.g. `studies/study-worker.js`: threads and user files load the
 * compiled form, also where this code runs from its TypeScript source.
 */
export function compiledFile(module: string): string {
  const here = fileURLToPath(import.meta.url);
  const folder = here.endsWith('.ts') ? path.resolve(path.dirname(here), '../dist') : path.dirname(here);
  return path.join(folder, module);
}
