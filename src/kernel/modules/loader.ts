import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { InputError } from '../../errors.js';
import type { OriginalPosition } from '../cell-engine.js';
import { prepareTslab } from '../tslab/package.js';
import { urlOf, type Dependency } from './local-module.js';
import { LocalModules } from './local-modules.js';
import {
  asModuleError,
  codeOf,
  fileMissing,
  isMissingPackage,
  packageOf,
  type Importer,
} from './module-errors.js';
import {
  adaptNamespace,
  asRequired,
  cellFile,
  importNatively,
  namespaceOfRequired,
  requireNatively,
  resolveNatively,
  type Namespace,
} from './native.js';
import { findProject, projectStamp, type Project } from './project.js';
import { stampOf } from './stamp.js';
import { absolutePath, isPath, resolveLocal, type LocalFile } from './resolve.js';

export interface ModuleLoaderOptions {
  /** Folder whose cells import: the notebook's. Absolute. */
  readonly folder: string;
  /** Root folder of the package this kernel belongs to: what `gondwana` and `tslab` mean where a project has neither. */
  readonly kernelPackageRoot: string;
  /** Called before `tslab` is loaded for a cell: its display is connected then. */
  readonly beforeTslab?: () => void;
}

/** `import.meta` of cells and of local modules. */
export interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  /** URL of what a specifier means from there. @throws InputError MODULE_NOT_FOUND */
  resolve(specifier: string): string;
}

/**
 * What cells and local modules import at run time. Local TypeScript is translated and run here, so an edited file
 * is loaded anew by the next cell that imports it; the rest is loaded by Node from the notebook's folder.
 * `from` is the absolute path of the importing file; without it a cell imports.
 */
export interface ModuleLoader {
  /**
   * @throws InputError MODULE_NOT_FOUND, MODULE_NOT_EXPORTED, MODULE_SPECIFIER, MODULE_SYNTAX,
   * MODULE_EXPORT_MISSING; and whatever the module throws
   */
  importModule(specifier: string, from?: string): Promise<Record<string, unknown>>;
  /**
   * `require`. A module that was imported before comes as imported, marked `__esModule`.
   * @throws also InputError MODULE_NEEDS_IMPORT, MODULE_TOP_LEVEL_AWAIT: it can only be imported
   */
  requireModule(specifier: string, from?: string): unknown;
  /** Notices files that were edited since the cell before, tsconfig.json included. Called before each cell. */
  beginCell(): void;
  /** A module that is no file: the source of a cell named by `@module`. @param name its path without extension */
  defineModule(name: string, source: string): void;
  importMeta(from?: string): ImportMeta;
  /** Place in the TypeScript file of a place in a local module; lines and columns count from 1. */
  originalPosition(file: string, line: number, column: number): OriginalPosition | undefined;
  /** The notebook's project as it is now. */
  project(): Project;
}

export function createModuleLoader({
  folder,
  kernelPackageRoot,
  beforeTslab,
}: ModuleLoaderOptions): ModuleLoader {
  let project = findProject(folder);
  let configStamp = projectStamp(folder, project);
  /** Native and JSON files that may be edited, by path. */
  const watched = new Map<string, { stamp: string; version: number; json?: Namespace }>();
  /** What was imported and is no local TypeScript, by folder and specifier: `require` hands out the same. */
  const imported = new Map<string, { readonly namespace: Namespace; readonly file: string | undefined }>();

  const importerOf = (from: string | undefined): Importer => ({
    file: from,
    folder: from === undefined ? folder : path.dirname(from),
  });

  const resolve = (specifier: string, importer: Importer): LocalFile | undefined => {
    if (isPath(specifier)) {
      const base = absolutePath(specifier, importer.folder);
      const file = [base, base.replace(/\.js$/, '.ts'), `${base}.ts`].find((name) => local.isVirtual(name));
      if (file !== undefined) return { file, kind: 'typescript' };
    }
    return resolveLocal(specifier, importer.folder, project);
  };

  const local = new LocalModules({
    resolve(specifier, file): Dependency {
      if (isBuiltin(specifier)) return { kind: 'other', specifier };
      const importer = importerOf(file);
      const found = resolve(specifier, importer);
      if (found?.kind === 'typescript') return { kind: 'module', file: found.file };
      if (found === undefined && isPath(specifier)) throw fileMissing(specifier, importer);
      return { kind: 'other', specifier, ...(found === undefined ? {} : { file: found.file }) };
    },
    import: async (specifier, file) => importModule(specifier, file),
    require: (specifier, file) => namespaceOfRequired(requireModule(specifier, file)),
    requireOf: (file) => (specifier: string) => requireModule(specifier, file),
    metaOf: (file) => importMeta(file),
    compilerOptions: () => project.tsconfig?.compilerOptions ?? {},
  });

  function watch(file: string): { stamp: string; version: number; json?: Namespace } {
    let entry = watched.get(file);
    if (entry === undefined) watched.set(file, (entry = { stamp: stampOf(file), version: 0 }));
    return entry;
  }

  async function importModule(specifier: string, from?: string): Promise<Record<string, unknown>> {
    const importer = importerOf(from);
    try {
      const found = isBuiltin(specifier) ? undefined : resolve(specifier, importer);
      const namespace = await (found ? loadFile(found) : loadPackage(specifier, importer));
      if (found?.kind !== 'typescript') {
        imported.set(`${importer.folder}\0${specifier}`, { namespace, file: found?.file });
      }
      return namespace;
    } catch (error) {
      throw asModuleError(error, specifier, importer, project);
    }
  }

  async function loadPackage(specifier: string, importer: Importer): Promise<Namespace> {
    if (isBuiltin(specifier)) return importNatively(specifier, importer.folder);
    if (packageOf(specifier) === 'tslab') {
      prepareTslab();
      beforeTslab?.();
      return importKernels(specifier);
    }
    if (isPath(specifier)) throw fileMissing(specifier, importer);
    try {
      return adaptNamespace(await importNatively(specifier, importer.folder));
    } catch (error) {
      if (specifier === 'gondwana' || specifier.startsWith('gondwana/')) {
        if (isMissingPackage(error, specifier)) return importKernels(specifier);
      }
      const source = typescriptBehind(error);
      if (source !== undefined) return local.import(source);
      throw error;
    }
  }

  async function loadFile({ file, kind }: LocalFile): Promise<Namespace> {
    if (kind === 'typescript') return local.import(file);
    const entry = watch(file);
    if (kind === 'json') return (entry.json ??= readJson(file));
    const query = entry.version === 0 ? '' : `?edited=${entry.version}`;
    try {
      return adaptNamespace(await importNatively(urlOf(file) + query, folder));
    } catch (error) {
      entry.version++; // Node keeps a module that failed: the next import asks for another
      throw error;
    }
  }

  /** The kernel's own copy: of `tslab` always, as only that one is connected to the front end. */
  const importKernels = async (specifier: string): Promise<Namespace> =>
    adaptNamespace(await importNatively(specifier, kernelPackageRoot));

  function requireModule(specifier: string, from?: string): unknown {
    if (typeof specifier !== 'string' || specifier === '') {
      throw new TypeError(`require() takes the name of a module, it got ${inspect(specifier)}.`);
    }
    const importer = importerOf(from);
    const known = imported.get(`${importer.folder}\0${specifier}`);
    if (known) return asRequired(known.namespace);
    try {
      if (isBuiltin(specifier)) return requireNatively(specifier, importer.folder);
      if (packageOf(specifier) === 'tslab') {
        prepareTslab();
        beforeTslab?.();
        return requireNatively(specifier, kernelPackageRoot);
      }
      const found = resolve(specifier, importer);
      if (found?.kind === 'typescript') return local.require(found.file);
      if (found?.kind === 'json') return (watch(found.file).json ??= readJson(found.file)).default;
      if (found) watch(found.file);
      return requireNatively(found?.file ?? specifier, importer.folder);
    } catch (error) {
      if (specifier === 'gondwana' && isMissingPackage(error, specifier)) {
        return requireNatively(specifier, kernelPackageRoot);
      }
      throw onlyByImport(error, specifier, importer) ?? asModuleError(error, specifier, importer, project);
    }
  }

  function beginCell(): void {
    const stamp = projectStamp(folder, project);
    if (stamp !== configStamp) {
      project = findProject(folder);
      configStamp = projectStamp(folder, project);
    }
    const changed = new Set<string>();
    for (const [file, entry] of watched) {
      const now = stampOf(file);
      if (now === entry.stamp) continue;
      entry.stamp = now;
      entry.version++;
      delete entry.json;
      forgetRequired(file);
      changed.add(file);
    }
    local.forgetUnfinished();
    local.forgetChanged(changed);
    for (const [key, { file }] of imported) if (file !== undefined && changed.has(file)) imported.delete(key);
  }

  function importMeta(from?: string): ImportMeta {
    const importer = importerOf(from);
    const filename = from ?? cellFile(folder);
    return Object.assign(Object.create(null) as object, {
      url: urlOf(filename),
      filename,
      dirname: importer.folder,
      resolve: (specifier: string) => resolveUrl(specifier, importer),
    });
  }

  function resolveUrl(specifier: string, importer: Importer): string {
    if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
    const found = resolve(specifier, importer);
    if (found) return urlOf(found.file);
    // as in Node, a path may lead to a file that is yet to be written
    if (isPath(specifier)) return urlOf(absolutePath(specifier, importer.folder));
    try {
      return urlOf(resolveNatively(specifier, importer.folder));
    } catch (error) {
      throw asModuleError(error, specifier, importer, project);
    }
  }

  return {
    importModule,
    requireModule,
    beginCell,
    defineModule(name, source) {
      local.define(path.resolve(folder, /\.[cm]?tsx?$/.test(name) ? name : `${name}.ts`), source);
    },
    importMeta,
    originalPosition(file, line, column) {
      const script = local.script(file.startsWith('file:') ? fileURLToPath(file) : file);
      const place = script?.body.original(line, column);
      return script && place ? { source: script.file, ...place, text: script.source } : undefined;
    },
    project: () => project,
  };
}

function readJson(file: string): Namespace {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    return namespaceOfRequired(value);
  } catch (cause) {
    throw new InputError('MODULE_SYNTAX', `The file is no JSON: ${(cause as Error).message}`, {
      where: file,
      hint: 'Correct the file and run the cell again.',
      cause,
    });
  }
}

/** Node keeps CommonJS files by path, whatever the URL says. */
function forgetRequired(file: string): void {
  const { cache } = createRequire(file);
  delete cache[file];
}

/** Path in `Unknown file extension ".ts" for /path/x.ts`: a package of a workspace whose entry is TypeScript. */
function typescriptBehind(error: unknown): string | undefined {
  if (codeOf(error) !== 'ERR_UNKNOWN_FILE_EXTENSION') return undefined;
  return /"\.[cm]?tsx?" for (.+)$/.exec((error as Error).message)?.[1];
}

function onlyByImport(error: unknown, specifier: string, { file, folder }: Importer): InputError | undefined {
  const code = codeOf(error);
  const isAsync = code === 'ERR_REQUIRE_ASYNC_MODULE' || code === 'ERR_REQUIRE_ESM';
  const isUnlisted = code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' && packageOf(specifier) === specifier;
  if (!isAsync && !isUnlisted) return undefined;
  return new InputError('MODULE_NEEDS_IMPORT', `"${specifier}" cannot be loaded by require().`, {
    where: file ?? `a cell in ${folder}`,
    hint: `Write \`import … from '${specifier}'\` or \`await import('${specifier}')\`.`,
    cause: error,
  });
}
