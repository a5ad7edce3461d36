import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Id of this process's group, or undefined where the system does not tell. */
function groupId(): number | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    // pid (name) state ppid pgrp …; the name may hold anything, brackets too
    const stat = readFileSync('/proc/self/stat', 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    // no such file system: macOS
  }
  try {
    return Number(
      execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)], { encoding: 'utf8' }).trim(),
    );
  } catch {
    return undefined;
  }
}

/** The processes that belong to a kernel: itself, its launcher and what cells started. */
export interface ProcessGroup {
  /** Whether the group holds nothing else, as under Jupyter, which makes one for every kernel. */
  readonly isOwn: boolean;
  /** To the whole group where it is the kernel's own, else to this process only: others may share the group. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
}

/** @param leaders processes whose group is the kernel's own: this one, and the launcher where there is one */
export function processGroup(leaders: readonly number[]): ProcessGroup {
  const id = groupId();
  const isOwn = id !== undefined && leaders.includes(id);
  return {
    isOwn,
    signal: (name) => {
      if (isOwn) process.kill(0, name);
      if (name === 'SIGKILL' || !isOwn) process.kill(process.pid, name);
    },
  };
}
