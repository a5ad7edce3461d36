import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { sha256OfFile } from '../../io/wheel.js';
import type { Dataset, Entry } from '../dataset.js';
import { some, type CheckFinding } from './finding.js';
import { filesOf } from './split-overlap.js';

/** Files that the lists of the splits name, and that are not there or empty. Opens none. */
export function missingFiles(
  { root }: Dataset,
  splits: ReadonlyMap<string, readonly Entry[]>,
): { readonly files: number; readonly findings: CheckFinding[] } {
  let files = 0;
  const findings: CheckFinding[] = [];
  for (const [split, entries] of splits) {
    const named = entries.flatMap(filesOf);
    files += named.length;
    const missing = named.filter((file) => !isThere(path.join(root, file)));
    if (missing.length === 0) continue;
    findings.push({
      severity: 'error',
      code: 'FILE_MISSING',
      message: `${missing.length} of ${named.length} files are not there or empty: ${some(missing)}.`,
      where: split,
      hint: 'Unpack the release again.',
    });
  }
  return { files, findings };
}

function isThere(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

/** Compares the sha256 of the release's files with the manifest's, where both are there. Reads them whole. */
export async function releaseFindings(
  { root, manifest }: Dataset,
  signal: AbortSignal | undefined,
  onFile: (name: string) => void,
): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const { name, sha256 } of manifest.release.files) {
    const file = path.join(root, name);
    if (sha256 === null || !existsSync(file)) continue;
    onFile(name);
    const digest = await sha256OfFile(file, signal);
    findings.push(
      digest === sha256
        ? {
            severity: 'note',
            code: 'RELEASE_EQUAL',
            message: `${name} is the file of the release, bit for bit.`,
            where: file,
            hint: 'Nothing is to be done.',
          }
        : {
            severity: 'warning',
            code: 'RELEASE_DIFFERS',
            message: `${name} has sha256 ${digest}, the release ${sha256}.`,
            where: file,
            hint: 'It is damaged, an excerpt, or of another version: fetch it again.',
          },
    );
  }
  return findings;
}
