import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { release, type as osType } from 'node:os';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageVersion } from '../version.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** State of a checkout, as git told it when its build was this. */
export interface CheckoutNote {
  /** Digest of the sources that were built. */
  readonly build: string;
  readonly commit: string;
}

/**
 * What a record says of the software: `gondwana`, `commit` (where the package is a checkout), `node`, `operatingSystem`.
 * @param noted spares thousands of tasks that have the same build from asking git again
 */
export async function softwareVersions(noted?: CheckoutNote): Promise<Record<string, string>> {
  return {
    gondwana: packageVersion(),
    commit: noted !== undefined && noted.build === buildOf(root) ? noted.commit : await commitOf(root),
    node: process.version,
    operatingSystem: `${osType()} ${release()}`,
  };
}

/** @returns undefined where there is no checkout, or its build is not known */
export async function noteCheckout(): Promise<CheckoutNote | undefined> {
  const build = buildOf(root);
  return build === undefined || !isCheckout(root) ? undefined : { build, commit: await commitOf(root) };
}

const isCheckout = (folder: string): boolean => existsSync(path.join(folder, '.git'));

function buildOf(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, 'dist', '.build-stamp'), 'utf8');
  } catch {
    return undefined; // only a checkout is built
  }
}

/** `abc1234`, `abc1234 + changes`, or `none` outside a checkout. */
async function commitOf(folder: string): Promise<string> {
  if (!isCheckout(folder)) return 'none';
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
