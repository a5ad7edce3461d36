import { statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type TS from 'typescript';
import type { LanguageOptions, Strictness } from '../cell-engine.js';
import { findProject } from '../modules/project.js';
import { compilerOptions } from './compiler-options.js';
import { ts } from './typescript.js';

interface CachedFile {
  readonly file: TS.SourceFile;
  /** Modification time; undefined for files of packages, which are read once. */
  readonly mtimeMs: number | undefined;
  /** When the time was last looked at. */
  checked: number;
}

interface CellFile {
  readonly text: string;
  readonly version: string;
  file?: TS.SourceFile;
}

/** What is offered in the place of a package the project lacks: the kernel brings these itself. */
const OWN_PACKAGES = /^(gondwana|tslab)(\/|$)/;
/** Declarations outside packages, such as a library's own build, are looked at again after this time. */
const DECLARATIONS_MS = 2000;

type ParseOptions = TS.ScriptTarget | TS.CreateSourceFileOptions;

/**
 * The files TypeScript sees: those on disk, each parsed once and again when it was edited, and the cells, which are
 * on no disk. Checker and language service share them.
 */
export class Files {
  readonly #cells = new Map<string, CellFile>();
  readonly #parsed = new Map<string, CachedFile>();
  readonly #resolved = new Map<string, TS.ResolvedModuleFull>();
  #count = 0;
  #strictness: Strictness;
  #configStamp: string;
  #packageResolutions: TS.ModuleResolutionCache;
  options: TS.CompilerOptions;
  readonly host: TS.CompilerHost;

  constructor(
    readonly language: LanguageOptions,
    strictness: Strictness,
  ) {
    this.#strictness = strictness;
    this.#configStamp = configStamp(language.folder);
    this.options = compilerOptions(language, strictness);
    this.#packageResolutions = this.#resolutionCache();
    this.host = this.#createHost();
  }

  setStrictness(strictness: Strictness): void {
    this.#strictness = strictness;
    this.#configure();
  }

  /** Follows a tsconfig.json that was edited, written or removed since the last cell. */
  refresh(): void {
    if (this.#configStamp !== configStamp(this.language.folder)) this.#configure();
  }

  #configure(): void {
    this.#configStamp = configStamp(this.language.folder);
    this.options = compilerOptions(this.language, this.#strictness);
    this.#packageResolutions = this.#resolutionCache();
    this.#resolved.clear();
  }

  #resolutionCache(): TS.ModuleResolutionCache {
    return ts.createModuleResolutionCache(this.language.folder, (name) => name, this.options);
  }

  /** Where a module of a cell lies: in the notebook's folder, so that relative imports mean the same. */
  path(name: string): string {
    return path.posix.join(this.language.folder.replaceAll('\\', '/'), name); // as TypeScript writes paths
  }

  /** A cell, new also where its text is the same: what it imports may have changed. */
  setCell(file: string, text: string): void {
    this.#cells.set(file, { text, version: this.#nextVersion() });
  }

  removeCell(file: string): void {
    this.#cells.delete(file);
  }

  isCell(file: string): boolean {
    return this.#cells.has(file);
  }

  sourceFile(file: string, options: ParseOptions): TS.SourceFile | undefined {
    const cell = this.#cells.get(file);
    if (cell) return (cell.file ??= this.#parse(file, cell.text, options, cell.version, true));
    const cached = this.#parsed.get(file);
    const isPackage = file.includes('/node_modules/');
    if (cached && (isPackage || !this.#isEdited(file, cached))) return cached.file;
    const text = ts.sys.readFile(file);
    if (text === undefined) {
      this.#parsed.delete(file);
      return undefined;
    }
    const parsed = this.#parse(file, text, options, this.#nextVersion(), !isPackage);
    this.#parsed.set(file, {
      file: parsed,
      mtimeMs: isPackage ? undefined : modificationTime(file),
      checked: Date.now(),
    });
    return parsed;
  }

  /** Changes whenever the file does; nothing is read for it. */
  version(file: string): string {
    const cell = this.#cells.get(file);
    if (cell) return cell.version;
    const cached = this.#parsed.get(file);
    if (!cached || (!file.includes('/node_modules/') && this.#isEdited(file, cached))) return 'new';
    return (cached.file as TS.SourceFile & { readonly version: string }).version;
  }

  text(file: string): string | undefined {
    return this.#cells.get(file)?.text ?? this.#parsed.get(file)?.file.text ?? ts.sys.readFile(file);
  }

  #isEdited(file: string, cached: CachedFile): boolean {
    const now = Date.now();
    if (file.endsWith('.d.ts') && now - cached.checked < DECLARATIONS_MS) return false;
    cached.checked = now;
    return modificationTime(file) !== cached.mtimeMs;
  }

  /** @param withDocs documentation becomes part of the tree; in packages it is read when it is asked for */
  #parse(
    file: string,
    text: string,
    options: ParseOptions,
    version: string,
    withDocs: boolean,
  ): TS.SourceFile {
    const parsed = ts.createSourceFile(file, text, {
      ...(typeof options === 'object' ? options : { languageVersion: options }),
      jsDocParsingMode: withDocs ? ts.JSDocParsingMode.ParseAll : ts.JSDocParsingMode.ParseForTypeErrors,
    });
    // the language service compares these
    Object.assign(parsed, { version });
    return parsed;
  }

  #nextVersion(): string {
    return String(++this.#count);
  }

  #createHost(): TS.CompilerHost {
    const libraryFolder = path.dirname(ts.getDefaultLibFilePath({}));
    return {
      getSourceFile: (file, options) => this.sourceFile(file, options),
      getDefaultLibFileName: () => path.join(libraryFolder, 'lib.es2023.d.ts'),
      getDefaultLibLocation: () => libraryFolder,
      writeFile: () => {},
      getCurrentDirectory: () => this.language.folder,
      getCanonicalFileName: (name) => (ts.sys.useCaseSensitiveFileNames ? name : name.toLowerCase()),
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getNewLine: () => '\n',
      fileExists: (file) => this.#cells.has(file) || ts.sys.fileExists(file),
      readFile: (file) => this.#cells.get(file)?.text ?? ts.sys.readFile(file),
      directoryExists: (folder) => ts.sys.directoryExists(folder),
      getDirectories: (folder) => ts.sys.getDirectories(folder),
      readDirectory: (...parameters) => ts.sys.readDirectory(...parameters),
      realpath: (file) => (this.#cells.has(file) ? file : ts.sys.realpath!(file)),
      getModuleResolutionCache: () => this.#packageResolutions,
      resolveModuleNameLiterals: (literals, from, redirected, options, file) =>
        literals.map((literal) => ({
          resolvedModule: this.#resolve(
            literal.text,
            from,
            options,
            ts.getModeForUsageLocation(file, literal, options),
            redirected,
          ),
        })),
    };
  }

  /**
   * A module that is missing is looked for anew with every cell, as a cell may install it; TypeScript's own cache
   * would keep it missing.
   */
  #resolve(
    name: string,
    from: string,
    options: TS.CompilerOptions,
    mode: TS.ResolutionMode,
    redirected: TS.ResolvedProjectReference | undefined,
  ): TS.ResolvedModuleFull | undefined {
    // declared by @types/node; looking for packages of these names takes a quarter of a second
    if (isBuiltin(name)) return undefined;
    const cell = this.path(`${name}.ts`);
    if (name.startsWith('./__cell_') && this.#cells.has(cell)) {
      return { resolvedFileName: cell, extension: ts.Extension.Ts, isExternalLibraryImport: false };
    }
    if (from.includes('/node_modules/')) {
      return ts.resolveModuleName(name, from, options, this.host, this.#packageResolutions, redirected, mode)
        .resolvedModule;
    }
    const key = [path.dirname(from), mode, name].join('\0');
    const known = this.#resolved.get(key);
    if (known && ts.sys.fileExists(known.resolvedFileName)) return known;
    const look = (place: string): TS.ResolvedModuleFull | undefined =>
      ts.resolveModuleName(name, place, options, this.host, undefined, redirected, mode).resolvedModule;
    const found = look(from) ?? (OWN_PACKAGES.test(name) ? look(fileURLToPath(import.meta.url)) : undefined);
    if (found) this.#resolved.set(key, found);
    return found;
  }
}

/** Changes with every tsconfig.json that has a say. */
function configStamp(folder: string): string {
  const { tsconfig, problem } = findProject(folder);
  const files = tsconfig?.files ?? (problem ? [problem.where] : []);
  return files.map((file) => `${file} ${modificationTime(file)}`).join('\n');
}

const modificationTime = (file: string): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs;
