import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Compiles `src` into `dist` before any test, unless it is up to date. Errors of types are told and left to
 * `npm run check`: tests of single files go on, on what the compiler wrote all the same.
 */
export default function buildDist(): void {
  if (process.env.GONDWANA_DIST_IS_BUILT) return; // every vitest project calls this
  process.env.GONDWANA_DIST_IS_BUILT = '1';
  const { status, stderr } = spawnSync(process.execPath, ['tools/build.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) process.stderr.write(`dist/ may be out of date.\n${stderr.slice(0, 600)}\n`);
}
