import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { release, type as osType } from 'node:os';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageVersion } from '../version.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a record says of the software: `gondwana`, `commit` (where the package is a checkout), `node`, `operatingSystem`. */
export async function softwareVersions(): Promise<Record<string, string>> {
  return {
    gondwana: packageVersion(),
    commit: await commitOf(root),
    node: process.version,
    operatingSystem: `${osType()} ${release()}`,
  };
}

/** `abc1234`, `abc1234 + changes`, or `none` outside a checkout. */
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
