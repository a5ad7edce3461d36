import type * as TS from '@tslab/typescript-for-tslab';
import path from 'node:path';
import type { LanguageOptions, Strictness } from '../cell-engine.js';
import { stampOf } from '../modules/local-module.js';
import { cellOptions, libraries, newerLibrary, typeRoots } from './compiler-options.js';
import {
  loadTslab,
  loadTypeScript,
  overrideTypeScript,
  type TslabConverter,
  type TypeScript,
} from './package.js';
import type { CellImport } from './payload.js';
import { rewriteNames, type CellFile, type CellNames } from './rewrite-names.js';

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

/** What tslab takes for the sign of an `await` at the top level. */
const TOP_LEVEL_AWAIT = 1308;
/** `import x = require('y')` is translated here, whatever the module format. */
const IMPORT_EQUALS = 1202;

/** The compiler that tslab's functions, which know only one, are working for. */
let working: CellCompiler | undefined;
let isOverridden = false;

function workFor<T>(compiler: CellCompiler, task: () => T): T {
  const before = working;
  working = compiler;
  try {
    return task();
  } finally {
    working = before;
  }
}

/**
 * tslab's converter, made to our measure without a change to its files: it sees a TypeScript namespace in which four
 * functions are ours. Starting it takes about a second.
 */
export class CellCompiler {
  readonly ts: TypeScript;
  readonly #folder: string;
  readonly #converter: TslabConverter;
  readonly #options: TS.CompilerOptions;
  /** How much of what the checker finds keeps a cell from running; `strict` itself is an option of the compiler. */
  #strictness: Strictness;
  readonly #globals: string;
  readonly #newer: string;
  /** Callbacks of TypeScript for files of the user's that may be edited. */
  readonly #watched = new Map<string, { readonly changed: TS.FileWatcherCallback; stamp: string }>();
  #builder: Builder | undefined;
  #emitted = newEmitted(undefined);
  #isConverting = false;
  #ambient: ReadonlySet<string> = new Set();

  constructor(options: LanguageOptions, strictness: Strictness) {
    this.ts = loadTypeScript();
    this.#folder = options.folder.replaceAll('\\', '/');
    this.#strictness = strictness;
    this.#globals = options.globals;
    this.#newer = path.posix.join(this.#folder, NEWER);
    this.#options = cellOptions(this.ts, options, strictness);
    overrideOnce(this.ts);
    const { createConverter } = loadTslab();
    this.#converter = this.#work(() => createConverter({ isJS: false, isBrowser: false }));
  }

  /** @param ambient names of earlier cells that are globals in truth */
  convert(
    earlier: string,
    code: string,
    ambient: ReadonlySet<string>,
  ): { readonly conversion: ReturnType<TslabConverter['convert']>; readonly emitted: Emitted } {
    this.#noticeEdits();
    this.#emitted = newEmitted(undefined);
    this.#ambient = ambient;
    this.#isConverting = true;
    try {
      const conversion = this.#work(() => this.#converter.convert(earlier, code));
      const file = this.#builder?.getSourceFile(this.cellFile) as CellFile | undefined;
      return { conversion, emitted: { ...this.#emitted, file } };
    } finally {
      this.#isConverting = false;
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
    return workFor(this, task);
  }

  /** Files of the user's that were edited since the cell before; TypeScript's own watchers would tell too late. */
  #noticeEdits(): void {
    for (const [file, entry] of this.#watched) {
      const stamp = stampOf(file);
      if (stamp === entry.stamp) continue;
      const kinds = this.ts.FileWatcherEventKind;
      const kind =
        stamp === 'missing' ? kinds.Deleted : entry.stamp === 'missing' ? kinds.Created : kinds.Changed;
      entry.stamp = stamp;
      this.#work(() => entry.changed(file, kind));
    }
  }

  watchFile(file: string, changed: TS.FileWatcherCallback): TS.FileWatcher {
    if (file.includes('/node_modules/') || /\/lib\.[\w.]*d\.ts$/.test(file)) return { close() {} };
    this.#watched.set(file, { changed, stamp: stampOf(file) });
    return { close: () => void this.#watched.delete(file) };
  }

  readFile(file: string, encoding?: string): string | undefined {
    return file === this.#newer ? newerLibrary() : this.ts.sys.readFile(file, encoding);
  }

  fileExists(file: string): boolean {
    return file === this.#newer || this.ts.sys.fileExists(file);
  }

  get folder(): string {
    return this.#folder;
  }

  createHost(files: readonly string[], options: TS.CompilerOptions, rest: unknown[]): object {
    const [system] = rest as [TS.System];
    const read = system.readFile.bind(system);
    system.readFile = (file, encoding) => {
      const text = read(file, encoding);
      return file === this.cellFile && text !== undefined ? withRealNames(text) : text;
    };
    const create = this.ts.createWatchCompilerHost as unknown as (...given: unknown[]) => object;
    const host = create(
      [...files, this.#globals, this.#newer],
      {
        ...options,
        ...this.#options,
        typeRoots: typeRoots(this.#folder),
        lib: [...(options.lib ?? []), ...libraries],
      },
      ...rest,
    );
    let receive: ((builder: unknown) => void) | undefined;
    return Object.defineProperty(host, 'afterProgramCreate', {
      get: () => (builder: Builder) => {
        this.#builder = builder;
        receive?.(this.#wrapped(builder));
      },
      set: (given: (builder: unknown) => void) => void (receive = given),
    });
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
    return builder.emit(file, put, token, onlyDeclarations, { ...transformers, before });
  }

  /** tslab's second step, from ES module to CommonJS: `import()` and `import.meta` become ours, the map is kept. */
  transpile(code: string, options: TS.TranspileOptions): TS.TranspileOutput {
    const { ts } = this;
    const emitted = this.#emitted;
    const before: TS.TransformerFactory<TS.SourceFile> = (context) => (file) => {
      for (const statement of file.statements) {
        if (ts.isImportDeclaration(statement)) emitted.imports.push(importOf(ts, statement));
      }
      const member = (name: string): TS.Expression =>
        context.factory.createPropertyAccessExpression(context.factory.createIdentifier(CELL), name);
      const visit = (node: TS.Node): TS.Node => {
        if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
          const given = ts.visitNodes(node.arguments, visit, ts.isExpression);
          return context.factory.updateCallExpression(node, member('import'), undefined, given);
        }
        if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword)
          return member('meta');
        return ts.visitEachChild(node, visit, context);
      };
      return ts.visitEachChild(file, visit, context);
    };
    const result = ts.transpileModule(code, {
      ...options,
      compilerOptions: { ...options.compilerOptions, sourceMap: true },
      transformers: { before: [before] },
    });
    emitted.maps.push(result.sourceMapText ?? '');
    return { ...result, outputText: withoutMapComment(result.outputText) };
  }

  /** What keeps the cell from being converted; the rest is kept for the caller. */
  diagnose(files: readonly TS.SourceFile[]): readonly TS.Diagnostic[] {
    const program = this.#builder!.getProgram();
    const found = this.ts.getPreEmitDiagnosticsOfFiles(program, files);
    // complaints about the `.d.ts` of a cell, which the user never wrote
    const aboutDeclarations = new Set<TS.Diagnostic>(
      files.flatMap((file) => program.getDeclarationDiagnostics(file)),
    );
    const rest = found.filter(
      (diagnostic) =>
        diagnostic.file !== undefined &&
        !aboutDeclarations.has(diagnostic) &&
        diagnostic.code !== IMPORT_EQUALS,
    );
    const syntax = new Set<TS.Diagnostic>(files.flatMap((file) => program.getSyntacticDiagnostics(file)));
    const isFatal = (diagnostic: TS.Diagnostic): boolean =>
      this.#strictness !== 'off' || syntax.has(diagnostic);
    this.#emitted.diagnostics = rest.filter(isFatal);
    return rest.filter((diagnostic) => isFatal(diagnostic) || diagnostic.code === TOP_LEVEL_AWAIT);
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

function importOf(ts: TypeScript, { importClause, moduleSpecifier }: TS.ImportDeclaration): CellImport {
  const bindings = importClause?.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return {
    specifier: (moduleSpecifier as TS.StringLiteral).text,
    names: [
      ...(importClause?.name ? ['default'] : []),
      ...named.map(({ name, propertyName }) => (propertyName ?? name).text),
    ],
  };
}

const withoutMapComment = (code: string): string => code.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');

function overrideOnce(ts: TypeScript): void {
  if (isOverridden) return;
  isOverridden = true;
  const current = (): CellCompiler => {
    if (working === undefined) throw new Error('tslab converts outside a compiler');
    return working;
  };
  const system = Object.create(ts.sys) as TS.System;
  system.getCurrentDirectory = () => working?.folder ?? ts.sys.getCurrentDirectory();
  system.watchFile = (file, changed) => current().watchFile(file, changed);
  system.watchDirectory = () => ({ close() {} });
  system.readFile = (file, encoding) => working?.readFile(file, encoding) ?? ts.sys.readFile(file, encoding);
  system.fileExists = (file) => working?.fileExists(file) ?? ts.sys.fileExists(file);
  overrideTypeScript({
    sys: system,
    createWatchCompilerHost: (files: string[], options: TS.CompilerOptions, ...rest: unknown[]) =>
      current().createHost(files, options, rest),
    transpileModule: (code: string, options: TS.TranspileOptions) => current().transpile(code, options),
    getPreEmitDiagnosticsOfFiles: (_: unknown, files: readonly TS.SourceFile[]) => current().diagnose(files),
  });
}
