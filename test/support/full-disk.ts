import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'vitest';

/** Runs on a disk of 2 MiB, which only root may mount; elsewhere the test is listed as not run. */
export function withFullDisk(name: string, body: (folder: string) => Promise<void>): void {
  test.runIf(mayMount())(name, async () => {
    const folder = mount();
    try {
      await body(folder!);
    } finally {
      unmount(folder!);
    }
  });
}

let answer: boolean | undefined;

function mayMount(): boolean {
  if (answer !== undefined) return answer;
  const folder = process.getuid?.() === 0 ? mount() : undefined;
  if (folder !== undefined) unmount(folder);
  return (answer = folder !== undefined);
}

function mount(): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function unmount(folder: string): void {
  spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
}
