import { statSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../errors.js';

/** Files of a report whose page is `out`. */
export interface ReportFiles {
  readonly html: string;
  readonly csv: string;
  readonly parquet: string;
  /** Tables of scores for a paper. */
  readonly markdown: string;
  readonly latex: string;
}

/**
 * Where a report goes, looked at before anything is computed or written.
 * @throws InputError NOT_A_FILE where `out` is empty, ends as a folder does, or one of the files is there and no
 * regular file
 */
export function reportFiles(out: string): ReportFiles {
  const hint =
    'Name a file for the page, e.g. report/index.html; results.csv, results.parquet, scores.md and scores.tex go beside it.';
  if (out.trim() === '') throw new InputError('NOT_A_FILE', 'The file of the report has no name.', { hint });
  if (/[/\\]$/.test(out))
    throw new InputError('NOT_A_FILE', 'The report needs a file, and this names a folder.', {
      where: out,
      hint,
    });
  const html = path.resolve(out);
  const beside = (name: string): string => path.join(path.dirname(html), name);
  const files = {
    html,
    csv: beside('results.csv'),
    parquet: beside('results.parquet'),
    markdown: beside('scores.md'),
    latex: beside('scores.tex'),
  };
  for (const file of Object.values(files)) {
    const kind = kindOf(file);
    if (kind) {
      throw new InputError('NOT_A_FILE', `The report cannot be written here: it is ${kind}.`, {
        where: file,
        hint,
      });
    }
  }
  return files;
}

/** What is in the way, or undefined where a file can be written as far as can be seen. */
function kindOf(file: string): string | undefined {
  try {
    const found = statSync(file);
    if (found.isFile()) return undefined;
    return found.isDirectory() ? 'a folder' : 'a device or pipe';
  } catch {
    return undefined; // not there, or writing tells why not
  }
}
