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
  const run = promisify(execFile);
  try {
    const { stdout: commit } = await run('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: folder });
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--untracked-files=no'], {
      cwd: folder,
    });
    return commit.trim() + (changes.trim() ? ' + changes' : '');
  } catch {
    return 'none'; // git is missing, or nothing was committed yet
  }
}
