import { readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { GondwanaError, InputError, nearest } from '../../errors.js';
import { absolutePath, isPath } from './resolve.js';
import { findProject, type Project } from './project.js';
import { mappedPaths } from './tsconfig.js';

/** Who asked for a module. */
export interface Importer {
  /** Absolute path of the importing file; undefined for a cell. */
  readonly file: string | undefined;
  /** Folder from which the specifier is resolved. */
  readonly folder: string;
}

/** What the native loader's errors are about, as far as we tell them in our own words. */
const nativeCodes = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNSUPPORTED_ESM_URL_SCHEME',
  'ERR_INVALID_MODULE_SPECIFIER',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNKNOWN_BUILTIN_MODULE',
]);

interface NodeError extends Error {
  readonly code?: string;
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeError).code : undefined;

/** True where it is this very package that is missing, not one that it needs itself. */
export const isMissingPackage = (error: unknown, specifier: string): boolean =>
  (codeOf(error) === 'ERR_MODULE_NOT_FOUND' || codeOf(error) === 'MODULE_NOT_FOUND') &&
  missingName(error as Error) === packageOf(specifier);

/** `@scope/name` of `@scope/name/sub/path`. */
export const packageOf = (specifier: string): string =>
  /^(?:@[^/]*\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/**
 * The error of a failed import in our words: what is missing, who asked for it, what to do. Errors that the module
 * itself threw pass through unchanged.
 */
export function asModuleError(
  error: unknown,
  specifier: string,
  importer: Importer,
  project: Project,
): unknown {
  const code = codeOf(error);
  if (error instanceof GondwanaError || code === undefined || !nativeCodes.has(code)) return error;
  const cause = error as Error;
  const where = whereOf(importer, cause);
  switch (code) {
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED':
      return new InputError('MODULE_NOT_EXPORTED', `The package does not offer "${specifier}".`, {
        where,
        hint: `"exports" in the package.json of ${packageOf(specifier)} lists what can be imported.`,
        cause,
      });
    case 'ERR_PACKAGE_IMPORT_NOT_DEFINED':
      return new InputError('MODULE_NOT_FOUND', `"imports" in package.json does not define "${specifier}".`, {
        where,
        hint: `Add it to ${project.packageJson ?? 'a package.json'}.`,
        cause,
      });
    case 'ERR_UNSUPPORTED_ESM_URL_SCHEME':
    case 'ERR_INVALID_MODULE_SPECIFIER':
      return new InputError('MODULE_SPECIFIER', `"${specifier}" cannot be imported by Node.`, {
        where,
        hint: 'Packages go by their name, files by a path that begins with ./, ../ or /; nothing is loaded from the network.',
        cause,
      });
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return new InputError('MODULE_SPECIFIER', `"${specifier}" is no module: ${cause.message}.`, {
        where,
        hint: 'Read data files with node:fs, JSON with an import.',
        cause,
      });
    case 'ERR_UNKNOWN_BUILTIN_MODULE':
      return new InputError('MODULE_NOT_FOUND', `Node ${process.version} has no module "${specifier}".`, {
        where,
        cause,
      });
    default: {
      const missing = missingName(cause) ?? packageOf(specifier);
      if (isPath(specifier) && missingName(cause) === undefined)
        return fileMissing(specifier, importer, cause);
      return (
        (missing === packageOf(specifier) && mappedFileMissing(specifier, importer, project, cause)) ||
        packageMissing(missing, where, importer.folder, project, cause)
      );
    }
  }
}

/** @throws never; returns the error of a path that leads to no file */
export function fileMissing(
  specifier: string,
  importer: Importer,
  cause?: Error,
  wanted = absolutePath(specifier, importer.folder),
): InputError {
  const stem = (name: string): string => name.replace(/\.[^.]*$/, '');
  const entries = entriesOf(path.dirname(wanted));
  const known = nearest(stem(path.basename(wanted)), entries.map(stem));
  const guess = entries.find((name) => stem(name) === known);
  return new InputError('MODULE_NOT_FOUND', `There is no file "${specifier}".`, {
    where: whereOf(importer),
    hint:
      `Looked for ${wanted} with the extensions .ts .tsx .mts .cts .js .mjs .cjs .json, and as a folder with an index file.` +
      (guess === undefined ? '' : ` Did you mean "${path.dirname(specifier)}/${guess}"?`),
    cause,
  });
}

/** The error of a specifier that `paths` of the tsconfig.json lead to no file; undefined where they do not know it. */
function mappedFileMissing(
  specifier: string,
  importer: Importer,
  { tsconfig }: Project,
  cause?: Error,
): InputError | undefined {
  const [wanted] = mappedPaths(specifier, tsconfig?.paths ?? []);
  return wanted === undefined ? undefined : fileMissing(specifier, importer, cause, wanted);
}

/** `@/lib`, `~/lib`: no name that a package can have. */
const isAlias = (name: string): boolean => /^(@\/|~(\/|$))/.test(name);

function packageMissing(
  name: string,
  where: string,
  folder: string,
  project: Project,
  cause: Error,
): InputError {
  const message = `Cannot find the package "${name}".`;
  if (isAlias(name)) {
    const hint = `If "${name[0]}/" is a short name for a folder, add it to "paths" in tsconfig.json.`;
    return new InputError('MODULE_NOT_FOUND', message, { where, hint, cause });
  }
  const guess = nearest(name, installedPackages(folder));
  const into =
    project.packageJson === undefined
      ? `npm init --yes && npm install ${name}  (in ${project.root})`
      : `npm install ${name}  (in ${path.dirname(project.packageJson)})`;
  const hint = `${guess === undefined ? '' : `Did you mean "${guess}"? Otherwise: `}${into}`;
  return new InputError('MODULE_NOT_FOUND', message, { where, hint, cause });
}

/** What to do about a module that a cell in `folder` imports and that is not there. */
export function missingModuleHint(specifier: string, folder: string): string {
  const importer = { file: undefined, folder };
  if (isPath(specifier)) return fileMissing(specifier, importer).hint;
  const project = findProject(folder);
  const error =
    mappedFileMissing(specifier, importer, project) ??
    packageMissing(packageOf(specifier), whereOf(importer), folder, project, new Error(specifier));
  return error.hint;
}

/** The package in "Cannot find package 'x' imported from …" or "Cannot find module 'x'"; undefined for a path. */
function missingName({ message }: Error): string | undefined {
  const name = /Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1];
  if (name === undefined || isPath(name)) return undefined;
  return packageOf(name);
}

/** The native loader knows the importer better where a package's own import fails. */
function whereOf({ file, folder }: Importer, cause?: Error): string {
  const from = / imported from ([^\n]+)/.exec(cause?.message ?? '')?.[1];
  if (from !== undefined && path.basename(from) !== '__cell__.js') return from;
  return file ?? `a cell in ${folder}`;
}

function installedPackages(folder: string): string[] {
  const names: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    const modules = path.join(at, 'node_modules');
    for (const name of entriesOf(modules)) {
      if (name.startsWith('@'))
        names.push(...entriesOf(path.join(modules, name)).map((sub) => `${name}/${sub}`));
      else names.push(name);
    }
    if (at === path.dirname(at)) return names;
  }
}

const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
