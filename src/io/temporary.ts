import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

let machine: string | undefined;

/** Host name and a digest of this boot and process space: equal only where process ids can be compared. */
function machineTag(): string {
  if (machine) return machine;
  const parts: string[] = [hostname()];
  try {
    parts.push(
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      readlinkSync('/proc/self/ns/pid'),
    );
  } catch {
    // not Linux: the host name alone
  }
  const digest = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8);
  return (machine = `${hostname().replace(/[^A-Za-z0-9-]/g, '_')}-${digest}`);
}

/**
 * Name for an unfinished file or folder beside `target`, on the same file system, so that one rename
 * finishes it: `.NAME.HOST.PID.RANDOM.tmp`. Readers of a folder pass over names of this form.
 */
export function temporaryBeside(target: string): string {
  const unique = `${machineTag()}.${process.pid}.${randomBytes(6).toString('hex')}`;
  return path.join(path.dirname(target), `.${path.basename(target)}.${unique}.tmp`);
}

/** Names that `temporaryBeside` gives: machine, process. */
const FORM = /^\..+\.([A-Za-z0-9_-]+)\.(\d+)\.[0-9a-f]{12}\.tmp$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what killed processes left unfinished in `folder`: at once where the process was on this machine,
 * a day later where that cannot be known. What is still being written stays.
 */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  for (const name of names) {
    const match = FORM.exec(name);
    if (!match) continue;
    const file = path.join(folder, name);
    const isGone = match[1] === machineTag() && !isRunning(Number(match[2]));
    if (isGone || (await isOld(file)))
      await rm(file, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 asks only whether the process is there
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Dead, and listed until its parent asks for its exit code: containers often have no parent that does. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') ?? false;
  } catch {
    return false;
  }
}

const isOld = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => Date.now() - found.mtimeMs > DAY_MS,
    () => false,
  );
