import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { tempFolder } from './temp-folder.js';

/** Puts shell scripts before all else on the PATH for the rest of the test. */
export function fakePrograms(scripts: Readonly<Record<string, string>>): string {
  const folder = path.join(tempFolder(), 'bin');
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', `${folder}${path.delimiter}${process.env.PATH}`);
  return folder;
}

/** A `python3` whose pip delivers the file `wheel` under `name`, and notes each call in `log`. */
export const deliveringPython = (wheel: string, name: string, log: string): string =>
  `echo "$@" >> '${log}'
while [ $# -gt 0 ]; do if [ "$1" = --dest ]; then dest="$2"; fi; shift; done
cp '${wheel}' "$dest/${name}"`;

/** A `python3` that says what pip says and ends with an error. */
export const failingPython = (text: string): string => `cat >&2 <<'END'\n${text}\nEND\nexit 1`;

/** What pip 23 to 25 print where nothing can be reached. */
export const NO_NETWORK_OUTPUT = `WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/x/
ERROR: Could not find a version that satisfies the requirement x==1.0 (from versions: none)
ERROR: No matching distribution found for x==1.0`;
