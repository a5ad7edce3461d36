import type * as TS from '@tslab/typescript-for-tslab';
import path from 'node:path';
import type { LanguageOptions, Strictness } from '../cell-engine.js';
import { cellOptions, libraries, newerLibrary, typeRoots } from './compiler-options.js';
import { loadTslab, loadTypeScript, type TslabConverter, type TypeScript } from './package.js';
import type { CellImport } from './payload.js';
import type { CellFile } from './cell-symbols.js';
import { fatalDiagnostics, LINES_BEFORE } from './diagnostics.js';
import { disposeResources } from './dispose-resources.js';
import type { FixedCell } from './fix-cell.js';
import { rewriteNames, type CellNames } from './rewrite-names.js';
import { toCommonJs, withoutMapComment } from './to-common-js.js';
import { workFor, type Replacements } from './typescript-seam.js';
import { WatchedFiles } from './watched-files.js';

/** What a conversion leaves behind beside what tslab returns. */
export interface Emitted extends CellNames {
  /** Declarations of the cell, as in a `.d.ts`. */
  declarations: string;
  /** Maps of tslab's two steps, as JSON: to ES modules, then to CommonJS. */
  readonly maps: string[];
  readonly imports: CellImport[];
  diagnostics: readonly TS.Diagnostic[];
  readonly file: CellFile | undefined;
}

type Builder = TS.EmitAndSemanticDiagnosticsBuilderProgram;

/** Names of tslab's own files: the cell, and the declarations of the cells before it. */
const CELL = '__tslab__';
const EARLIER = '__prev__.d.ts';
const NEWER = '__newer__.d.ts';

/**
 * tslab's converter, made to our measure without a change to its files: it sees a TypeScript namespace in which four
 * functions are ours. Starting it takes about a second.
 */
export class CellCompiler implements Replacements {
  readonly ts: TypeScript;
  readonly #folder: string;
  readonly #converter: TslabConverter;
  readonly #options: TS.CompilerOptions;
  /** How much of what the checker finds keeps a cell from running; `strict` itself is an option of the compiler. */
  #strictness: Strictness;
  readonly #globals: string;
  readonly #newer: string;
  readonly #files = new WatchedFiles();
  #nodeTypes: readonly string[] | undefined;
  #setRoots: (() => void) | undefined;
  #builder: Builder | undefined;
  #resolutions: TS.ModuleResolutionCache | undefined;
  #isForgetful = false;
  #emitted = newEmitted(undefined);
  #isConverting = false;
  #ambient: ReadonlySet<string> = new Set();
  #disposals: FixedCell['disposals'] = new Map();

  constructor(options: LanguageOptions, strictness: Strictness) {
    this.ts = loadTypeScript();
    this.#folder = options.folder.replaceAll('\\', '/');
    this.#strictness = strictness;
    this.#globals = options.globals;
    this.#newer = path.posix.join(this.#folder, NEWER);
    this.#options = cellOptions(this.ts, options, strictness);
    const { createConverter } = loadTslab();
    this.#converter = this.#work(() => createConverter({ isJS: false, isBrowser: false }));
  }

  /** Reads the types of Node, which takes as long as all else; the compiler starts without them. */
  loadNodeTypes(): void {
    if (this.#nodeTypes !== undefined) return;
    const { resolvedTypeReferenceDirective: found } = this.ts.resolveTypeReferenceDirective(
      'node',
      this.cellFile,
      { ...this.#options, typeRoots: typeRoots(this.#folder) },
      this.ts.sys,
    );
    this.#nodeTypes = found?.resolvedFileName === undefined ? [] : [found.resolvedFileName];
    this.#work(() => this.#setRoots?.());
  }

  get hasNodeTypes(): boolean {
    return this.#nodeTypes !== undefined;
  }

  /** @param ambient names of earlier cells that are globals in truth */
  convert(
    earlier: string,
    { code, disposals }: FixedCell,
    ambient: ReadonlySet<string>,
  ): { readonly conversion: ReturnType<TslabConverter['convert']>; readonly emitted: Emitted } {
    if (this.#work(() => this.#files.noticeEdits(this.ts))) this.forgetResolutions();
    this.#emitted = newEmitted(undefined);
    this.#ambient = ambient;
    this.#disposals = disposals;
    this.#isConverting = true;
    try {
      const conversion = this.#work(() => this.#converter.convert(earlier, code));
      const file = this.#builder?.getSourceFile(this.cellFile) as CellFile | undefined;
      return { conversion, emitted: { ...this.#emitted, file } };
    } finally {
      this.#isConverting = false;
      this.#isForgetful = false;
    }
  }

  /** @returns false where this takes another compiler */
  setStrictness(level: Strictness): boolean {
    if ((level === 'strict') !== (this.#strictness === 'strict')) return false;
    this.#strictness = level;
    return true;
  }

  inspect(earlier: string, code: string, position: number): TS.QuickInfo | undefined {
    return this.#work(() => this.#converter.inspect(earlier, code, position));
  }

  complete(earlier: string, code: string, position: number): ReturnType<TslabConverter['complete']> {
    return this.#work(() => this.#converter.complete(earlier, code, position));
  }

  addModule(name: string, code: string, isJsx: boolean): void {
    this.#work(() => this.#converter.addModule(name, code, { module: name, jsx: isJsx }));
  }

  close(): void {
    this.#work(() => this.#converter.close());
  }

  get folder(): string {
    return this.#folder;
  }

  get roots(): readonly string[] {
    return [this.#globals, this.#newer, ...(this.#nodeTypes ?? [])];
  }

  watched(setRoots: () => void): void {
    this.#setRoots = setRoots;
  }

  get cellFile(): string {
    return path.posix.join(this.#folder, `${CELL}.ts`);
  }

  get earlierFile(): string {
    return path.posix.join(this.#folder, EARLIER);
  }

  /** The program as it was checked last. */
  get program(): TS.Program | undefined {
    return this.#builder?.getProgram();
  }

  #work<T>(task: () => T): T {
    return workFor(this.ts, this, task);
  }

  watchFile(file: string, changed: TS.FileWatcherCallback): TS.FileWatcher {
    return this.#files.watch(file, changed);
  }

  readFile(file: string, encoding?: string): string | undefined {
    return file === this.#newer ? newerLibrary() : this.ts.sys.readFile(file, encoding);
  }

  fileExists(file: string): boolean {
    return file === this.#newer || this.ts.sys.fileExists(file);
  }

  createHost(files: readonly string[], options: TS.CompilerOptions, rest: readonly unknown[]): object {
    const [system, , ...reporters] = rest as [TS.System, unknown, ...unknown[]];
    const read = system.readFile.bind(system);
    system.readFile = (file, encoding) => {
      const text = read(file, encoding);
      return file === this.cellFile && text !== undefined ? withRealNames(text) : text;
    };
    const create = this.ts.createWatchCompilerHost as unknown as (...given: unknown[]) => object;
    const host = create(
      [...files, ...this.roots],
      {
        ...options,
        ...this.#options,
        typeRoots: typeRoots(this.#folder),
        lib: [...(options.lib ?? []), ...libraries],
      },
      system,
      this.ts.createAbstractBuilder, // the usual one keeps track of which files changed, which takes longer than a cell
      ...reporters,
    );
    Object.assign(host, this.#resolution(system));
    let receive: ((builder: unknown) => void) | undefined;
    return Object.defineProperty(host, 'afterProgramCreate', {
      get: () => (builder: Builder) => {
        this.#builder = builder;
        receive?.(this.#wrapped(builder));
      },
      set: (given: (builder: unknown) => void) => void (receive = given),
    });
  }

  /** Modules are resolved without TypeScript's watching of every place where they are not. */
  #resolution(system: TS.System): object {
    const { ts } = this;
    const cache = (): TS.ModuleResolutionCache =>
      (this.#resolutions ??= ts.createModuleResolutionCache(this.#folder, (name) => name, this.#options));
    return {
      getModuleResolutionCache: cache,
      hasInvalidatedResolutions: () => this.#isForgetful,
      resolveModuleNameLiterals: (
        literals: readonly TS.StringLiteralLike[],
        from: string,
        redirected: TS.ResolvedProjectReference | undefined,
        options: TS.CompilerOptions,
      ) => literals.map(({ text }) => ts.resolveModuleName(text, from, options, system, cache(), redirected)),
    };
  }

  /** Looks for every module anew: one may be there now, or gone. */
  forgetResolutions(): void {
    this.#resolutions = undefined;
    this.#isForgetful = true;
  }

  /** The program as tslab sees it: no file but the cell is put out, and that by our rules. */
  #wrapped(builder: Builder): object {
    const program = (): TS.Program => {
      const real = builder.getProgram();
      if (!this.#isConverting) return real;
      const checker = real.getTypeChecker();
      // tslab would replace names by what this returns; they are replaced already
      const blind = { ...checker, getSymbolAtLocation: () => undefined };
      return { ...real, getTypeChecker: () => blind };
    };
    return {
      ...builder,
      getProgram: program,
      getSourceFile: (name: string) => {
        const file = builder.getSourceFile(name);
        // tslab reads the names of the cell before anything else would have them collected
        if (file && name === this.cellFile) this.ts.bindSourceFile(file, builder.getCompilerOptions());
        return file;
      },
      getAllDependencies: (file: TS.SourceFile) => [file.fileName],
      emit: (file: TS.SourceFile, write: TS.WriteFileCallback, ...rest: unknown[]) =>
        this.#emit(builder, file, write, rest),
    };
  }

  #emit(builder: Builder, file: TS.SourceFile, write: TS.WriteFileCallback, rest: unknown[]): TS.EmitResult {
    const [token, onlyDeclarations, transformers] = rest as [undefined, undefined, TS.CustomTransformers];
    const emitted = this.#emitted;
    const put = (name: string, text: string): void => {
      if (name.endsWith('.js.map')) emitted.maps.push(text);
      else if (name.endsWith('.d.ts')) write(`outDir/${CELL}.d.ts`, (emitted.declarations = text), false);
      else write(`outDir/${CELL}.js`, withoutMapComment(text), false);
    };
    const context = {
      checker: builder.getProgram().getTypeChecker(),
      cell: file as CellFile,
      earlier: builder.getSourceFile(this.earlierFile) as CellFile,
      ambient: this.#ambient,
    };
    const before = [rewriteNames(this.ts, context, emitted)];
    if (this.#disposals.size > 0) {
      const prefix = file.getPositionOfLineAndCharacter(LINES_BEFORE, 0);
      const isUsing = (list: TS.VariableDeclarationList): boolean | undefined => {
        const { pos } = this.ts.getOriginalNode(list);
        // the position of a node is where the space before it begins
        const start = pos < 0 ? -1 : this.ts.skipTrivia(file.text, pos);
        return this.#disposals.get(start - prefix);
      };
      before.push(disposeResources(this.ts, file, isUsing));
    }
    return builder.emit(file, put, token, onlyDeclarations, { ...transformers, before });
  }

  /** tslab's second step; the map and the imports are kept for the caller. */
  transpile(code: string, options: TS.TranspileOptions): TS.TranspileOutput {
    const { output, map, imports } = toCommonJs(this.ts, code, options);
    this.#emitted.maps.push(map);
    this.#emitted.imports.push(...imports);
    return output;
  }

  /** What keeps the cell from being converted, and the complaints that tslab takes for `await` at the top level. */
  diagnose(files: readonly TS.SourceFile[]): readonly TS.Diagnostic[] {
    this.#emitted.diagnostics = fatalDiagnostics(
      this.ts,
      this.#builder!.getProgram(),
      files,
      this.#strictness,
    );
    return this.#emitted.diagnostics;
  }
}

/**
 * tslab exports all names of a cell in a last line, as the compiler keeps them: with one underscore more where they
 * begin with two, and with a name for `declare global`.
 */
const withRealNames = (text: string): string =>
  text.replace(/\nexport \{([^{}]*)\}$/, (_, list: string) => {
    const names = list.split(', ').filter((name) => name !== '__global');
    return `\nexport {${names.map((name) => name.replace(/^___/, '__')).join(', ')}}`;
  });

const newEmitted = (file: CellFile | undefined): Emitted => ({
  declarations: '',
  maps: [],
  imports: [],
  diagnostics: [],
  declared: new Set(),
  ambient: new Set(),
  file,
});
