import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Project } from './project.js';
import { statOf } from './stamp.js';
import { mappedPaths } from './tsconfig.js';

/** How a local file is loaded. */
export type LocalKind = 'typescript' | 'json' | 'native';

export interface LocalFile {
  readonly file: string;
  readonly kind: LocalKind;
}

const typescript = new Set(['.ts', '.tsx', '.mts', '.cts', '.jsx']);
/** Tried in this order on a name without extension, and on `index` in a folder; as TypeScript does, sources first. */
const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** `./x.js` in a TypeScript file means `./x.ts`, where that exists. */
const sources: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** `./x`, `../x`, `/x`, `file:///x`: a file, not a package. */
export const isPath = (specifier: string): boolean =>
  /^\.{1,2}(\/|$)/.test(specifier) || specifier.startsWith('file:') || path.isAbsolute(specifier);

/** Absolute path a path-like specifier stands for, before any extension is tried. */
export const absolutePath = (specifier: string, fromFolder: string): string =>
  specifier.startsWith('file:')
    ? fileURLToPath(specifier.replace(/[?#].*$/, ''))
    : path.resolve(fromFolder, specifier);

/**
 * The file a specifier means: relative and absolute ones, and those that `paths` or `baseUrl` of the tsconfig map.
 * @returns undefined where no file fits: then it is a package, or missing
 */
export function resolveLocal(specifier: string, fromFolder: string, project: Project): LocalFile | undefined {
  if (isPath(specifier)) return existingFile(absolutePath(specifier, fromFolder));
  const { tsconfig } = project;
  if (tsconfig === undefined) return undefined;
  for (const candidate of mappedPaths(specifier, tsconfig.paths)) {
    const found = existingFile(candidate);
    if (found) return found;
  }
  return tsconfig.baseUrl === undefined ? undefined : existingFile(path.join(tsconfig.baseUrl, specifier));
}

/** The file a path means, with TypeScript's rules for extensions and folders. */
export function existingFile(name: string): LocalFile | undefined {
  const extension = path.extname(name);
  const stem = name.slice(0, name.length - extension.length);
  const candidates = [
    ...(sources[extension] ?? []).map((source) => stem + source),
    name,
    ...extensions.map((tried) => name + tried),
  ];
  const file = candidates.find(isFile) ?? entryOfFolder(name);
  return file === undefined ? undefined : { file, kind: kindOf(file) };
}

function entryOfFolder(folder: string): string | undefined {
  if (statOf(folder)?.isDirectory() !== true) return undefined;
  const main = mainOf(folder);
  const stems = [...(main === undefined ? [] : [path.resolve(folder, main)]), path.join(folder, 'index')];
  for (const stem of stems) {
    const found = [stem, ...extensions.map((tried) => stem + tried)].find(isFile);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mainOf(folder: string): string | undefined {
  try {
    const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
    const { main } = JSON.parse(text) as { main?: unknown };
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}

/** Declarations run nothing: `x.d.ts` is not what `./x.d` or `./x` stands for. */
const isFile = (file: string): boolean => !/\.d\.[cm]?ts$/.test(file) && statOf(file)?.isFile() === true;

export function kindOf(file: string): LocalKind {
  const extension = path.extname(file);
  if (typescript.has(extension)) return 'typescript';
  return extension === '.json' ? 'json' : 'native';
}
