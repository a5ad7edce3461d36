import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../errors.js';
import { stampOf, statOf } from './stamp.js';
import { readTsConfig, type TsConfig } from './tsconfig.js';

/** The npm or TypeScript project a notebook lies in. */
export interface Project {
  /** Nearest folder at or above the notebook's with a package.json or a tsconfig.json; the folder itself without one. */
  readonly root: string;
  /** Nearest package.json at or above the folder. */
  readonly packageJson?: string;
  /** `name` of that package.json. */
  readonly name?: string;
  /** Nearest tsconfig.json at or above the folder; undefined too where it is damaged (`problem`). */
  readonly tsconfig?: TsConfig;
  /** Code TSCONFIG: what is wrong with the tsconfig.json. The kernel starts without it. */
  readonly problem?: InputError;
}

/** @param folder absolute; need not be inside a project */
export function findProject(folder: string): Project {
  const packageJson = findAbove(folder, 'package.json');
  const file = findAbove(folder, 'tsconfig.json');
  const roots = [packageJson, file]
    .filter((found) => found !== undefined)
    .map((found) => path.dirname(found));
  // both lie on one line upwards: the longer path is the nearer folder
  const root = roots.sort((a, b) => b.length - a.length)[0] ?? folder;
  const name = packageJson === undefined ? undefined : packageName(packageJson);
  return {
    root,
    ...(packageJson === undefined ? {} : { packageJson }),
    ...(name === undefined ? {} : { name }),
    ...(file === undefined ? {} : tsconfigOf(file)),
  };
}

/** Changes when a file comes, goes or is edited that says what the project is. */
export function projectStamp(folder: string, { tsconfig, problem }: Project): string {
  const nearest = ['package.json', 'tsconfig.json'].map((name) => findAbove(folder, name));
  const files = [...nearest, ...(tsconfig?.files ?? []), problem?.where].filter((file) => file !== undefined);
  return files.map((file) => `${file} ${stampOf(file)}`).join('\n');
}

/** Path of the nearest file of that name in `folder` or a folder above it. */
export function findAbove(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, name);
    if (statOf(file)?.isFile() === true) return file;
    if (at === path.dirname(at)) return undefined;
  }
}

function tsconfigOf(file: string): Pick<Project, 'tsconfig' | 'problem'> {
  try {
    return { tsconfig: readTsConfig(file) };
  } catch (error) {
    if (error instanceof InputError) return { problem: error };
    throw error;
  }
}

/** A package.json that npm would refuse has no name here; npm and the native loader say what is wrong with it. */
function packageName(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
