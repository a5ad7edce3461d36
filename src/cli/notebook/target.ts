import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { InputError, nearest, UsageError } from '../../errors.js';
import { writeFileAtomic } from '../../io/atomic-file.js';
import { writeError } from '../../io/file-errors.js';
import { requireFileSync } from '../../io/regular-file.js';
import { notebookText, type Notebook } from './format.js';

export const targetFormats = ['ipynb', 'html', 'md'] as const;
export type TargetFormat = (typeof targetFormats)[number];

/** What is written of an executed notebook, and where. */
export interface Target {
  readonly format: TargetFormat;
  /** Absolute. */
  readonly file: string;
}

const extensions: Readonly<Record<string, TargetFormat>> = {
  '.ipynb': 'ipynb',
  '.html': 'html',
  '.htm': 'html',
  '.md': 'md',
};

/**
 * The format is that of `--to`, else that of the ending of `--out`, else a notebook. The file is that of `--out`,
 * else NAME.run.ipynb, NAME.html or NAME.md in the working folder. Looked at before anything runs.
 * @throws UsageError OPTION_VALUE; InputError NOT_A_FILE, NOT_A_FOLDER, NO_PERMISSION
 */
export function chooseTarget(source: string, to: string | undefined, out: string | undefined): Target {
  if (to !== undefined && !isFormat(to)) {
    const guess = nearest(to, targetFormats);
    throw new UsageError('OPTION_VALUE', `--to is "${to}".`, {
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${targetFormats.join(', ')}.`,
    });
  }
  const format = to ?? extensions[path.extname(out ?? '').toLowerCase()] ?? 'ipynb';
  const name = path.basename(source, path.extname(source));
  const file = path.resolve(out ?? (format === 'ipynb' ? `${name}.run.ipynb` : `${name}.${format}`));
  if (format !== 'ipynb' && file === source) {
    throw new UsageError(
      'OPTION_VALUE',
      `--out is the notebook itself, which --to ${format} would replace.`,
      {
        where: file,
        hint: `Name another file, e.g. ${name}.${format}.`,
      },
    );
  }
  const isFolder = /[/\\]$/.test(out ?? '') || isExistingFolder(file);
  if (isFolder) {
    throw new InputError('NOT_A_FILE', 'The output needs a file, and this names a folder.', {
      where: file,
      hint: `Name a file in it, e.g. ${path.join(file, `${name}.${format}`)}.`,
    });
  }
  if (existsSync(file)) requireFileSync(file);
  requireWritable(path.dirname(file));
  return { format, file };
}

function isExistingFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

const isFormat = (text: string): text is TargetFormat => (targetFormats as readonly string[]).includes(text);

/** Of the folder, or the nearest above it that exists: a notebook that computed for hours should have its place. */
function requireWritable(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  try {
    if (!statSync(existing).isDirectory()) throw Object.assign(new Error('a file'), { code: 'ENOTDIR' });
    accessSync(existing, constants.W_OK);
  } catch (cause) {
    throw writeError(cause, folder);
  }
}

/** Writes an executed notebook in the form that was asked for. @throws what writeFileAtomic throws */
export async function writeTarget(target: Target, notebook: Notebook, source: string): Promise<void> {
  if (target.format === 'ipynb') return writeFileAtomic(target.file, notebookText(notebook));
  const options = { title: path.basename(source, path.extname(source)), folder: path.dirname(source) };
  if (target.format === 'html') {
    const { notebookHtml } = await import('./export/html.js');
    return writeFileAtomic(target.file, notebookHtml(notebook, options));
  }
  const { notebookMarkdown } = await import('./export/markdown.js');
  const images = `${path.basename(target.file, path.extname(target.file))}_files`;
  const { text, files } = notebookMarkdown(notebook, { images, toNotebook: relativeFolder(target, source) });
  const folder = path.join(path.dirname(target.file), images);
  const isNew = !existsSync(folder);
  try {
    for (const [name, bytes] of files) await writeFileAtomic(path.join(folder, name), bytes);
    await writeFileAtomic(target.file, text);
  } catch (error) {
    if (isNew) await rm(folder, { recursive: true, force: true });
    throw error;
  }
  await removeStale(folder, files);
}

/** From the file's folder to the notebook's; empty where they are one. */
const relativeFolder = (target: Target, source: string): string =>
  path.relative(path.dirname(target.file), path.dirname(source));

/** Images that an earlier run of the same notebook had, and this one has not. */
async function removeStale(folder: string, files: ReadonlyMap<string, unknown>): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  for (const name of names) {
    const isOurs = /^(cell-\d+-\d+|attachment-[0-9a-f]+)\.[a-z]+$/.test(name);
    if (isOurs && !files.has(name)) await rm(path.join(folder, name), { force: true });
  }
}
