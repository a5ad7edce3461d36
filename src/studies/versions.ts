import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { release, type as osType } from 'node:os';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from '../manifests/sha256.js';
import type { CheckoutNote } from '../scale-out/submission.js';
import { packageVersion } from '../version.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * What a record says of the software: `gondwana`, `commit` (where the package is a checkout), `node`, `operatingSystem`.
 * @param noted spares thousands of tasks from asking git again. What was changed since and neither built nor added is not
 * seen then: manifests, whose digests records have
 */
export async function softwareVersions(noted?: CheckoutNote): Promise<Record<string, string>> {
  return {
    gondwana: packageVersion(),
    commit: noted !== undefined && noted.state === stateOf(root) ? noted.commit : await commitOf(root),
    node: process.version,
    operatingSystem: `${osType()} ${release()}`,
  };
}

/** @returns undefined where there is no checkout, git does not tell, or its state is kept elsewhere (a worktree) */
export async function noteCheckout(): Promise<CheckoutNote | undefined> {
  const state = stateOf(root);
  const commit = state === undefined ? 'none' : await commitOf(root);
  return state === undefined || commit === 'none' ? undefined : { state, commit };
}

/** Digest of the build and of what git changes with each commit, checkout and `git add`. */
function stateOf(folder: string): string | undefined {
  try {
    const { mtimeMs, size } = statSync(path.join(folder, '.git', 'index'));
    const build = readFileSync(path.join(folder, 'dist', '.build-stamp'), 'utf8');
    const head = readFileSync(path.join(folder, '.git', 'HEAD'), 'utf8');
    const moves = statSync(path.join(folder, '.git', 'logs', 'HEAD')).size;
    return sha256(JSON.stringify([build, head, moves, size, mtimeMs]));
  } catch {
    return undefined;
  }
}

/** Twelve digits, with `+ changes` where files were changed since; `none` outside a checkout. */
async function commitOf(folder: string): Promise<string> {
  if (!existsSync(path.join(folder, '.git'))) return 'none';
  const ask = ['status', '--porcelain=v2', '--branch', '--untracked-files=no'];
  try {
    // without a lock: thousands of tasks may ask at the same time
    const { stdout } = await promisify(execFile)('git', ['--no-optional-locks', ...ask], { cwd: folder });
    const commit = /^# branch\.oid ([0-9a-f]{12})/m.exec(stdout)?.[1];
    if (commit === undefined) return 'none'; // nothing was committed yet
    return commit + (/^[^#\n]/m.test(stdout) ? ' + changes' : '');
  } catch {
    return 'none'; // git is missing
  }
}
