import { statSync, type Stats } from 'node:fs';

/**
 * What is known of a path; undefined where there is nothing, and where it cannot be asked for: a loop of links, a
 * folder that may not be entered, a name that no file can have.
 */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Changes when a file is edited. */
export function stampOf(file: string): string {
  const stat = statOf(file);
  return stat === undefined ? 'missing' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
}
