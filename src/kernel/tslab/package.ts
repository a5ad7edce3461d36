import type * as TS from '@tslab/typescript-for-tslab';
import { createRequire, Module } from 'node:module';
import { loadCached } from '../typescript/code-cache.js';

/** TypeScript 5.0.4 as tslab changed it, with the internals that are used. */
export type TypeScript = typeof TS & {
  getPreEmitDiagnosticsOfFiles(
    program: TS.Program,
    files: readonly TS.SourceFile[],
  ): readonly TS.Diagnostic[];
  bindSourceFile(file: TS.SourceFile, options: TS.CompilerOptions): void;
  skipTrivia(text: string, position: number): number;
  skipOuterExpressions(node: TS.Expression): TS.Expression;
  isExpressionNode(node: TS.Node): boolean;
  isIntrinsicJsxName(name: string): boolean;
};

/** What tslab's converter finds in a cell. */
export interface TslabConversion {
  readonly diagnostics: readonly TslabDiagnostic[];
  readonly output?: string;
  readonly declOutput?: string;
  readonly hasToplevelAwait?: boolean;
  readonly lastExpressionVar?: string;
}

export interface TslabDiagnostic {
  readonly start: { readonly line: number; readonly character: number };
  readonly messageText: string;
  readonly code: number;
}

export interface TslabCompletion {
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly string[];
  readonly original?: TS.CompletionInfo;
}

export interface TslabConverter {
  convert(earlier: string, source: string): TslabConversion;
  inspect(earlier: string, source: string, position: number): TS.QuickInfo | undefined;
  complete(earlier: string, source: string, position: number): TslabCompletion;
  addModule(name: string, source: string, meta: TslabMetadata): readonly TslabDiagnostic[];
  close(): void;
}

/** What comments in front of a cell say: `@module name`, `@jsx`, `@browser`. */
export interface TslabMetadata {
  readonly module?: string;
  readonly jsx?: boolean;
  readonly mode?: 'node' | 'browser';
}

export interface TslabExecutor {
  execute(source: string): Promise<boolean>;
  interrupt(): void;
  reset(): void;
  readonly locals: Record<string, unknown>;
}

/** The functions of tslab 1.0.22 that are used; test/kernel/tslab/package.test.ts guards them. */
export interface Tslab {
  createConverter(options: { readonly isJS: boolean; readonly isBrowser: boolean }): TslabConverter;
  createExecutor(
    rootDir: string,
    converters: { readonly node: Pick<TslabConverter, 'convert'> },
    console: { log(value: unknown): void; error(...given: unknown[]): void },
  ): TslabExecutor;
  getCodeMetadata(source: string): TslabMetadata;
}

const requireHere = createRequire(import.meta.url);
/** Resolves what tslab itself would. */
const requireTslab = createRequire(requireHere.resolve('tslab/package.json'));

/** Members that stand before those of the real compiler. */
const overrides: Record<string, unknown> = {};
let compiler: TypeScript | undefined;

/** tslab's TypeScript itself; half a second the first time. */
export function loadTypeScript(): TypeScript {
  if (compiler) return compiler;
  const file = requireTslab.resolve('@tslab/typescript-for-tslab');
  compiler = loadCached(file) as TypeScript;
  compiler.sys.useCaseSensitiveFileNames = true; // tslab's converter would set it on the stand-in
  return compiler;
}

/** Members of the TypeScript namespace as tslab's converter is to see them. */
export function overrideTypeScript(members: Readonly<Record<string, unknown>>): void {
  Object.assign(overrides, members);
}

/** Enough of TypeScript to load tslab and to run a cell that is converted already. */
const light = (): Record<string, unknown> => ({
  version: (requireTslab('@tslab/typescript-for-tslab/package.json') as { version: string }).version,
  sys: {},
  ScriptTarget: {},
  LanguageVariant: {},
  SyntaxKind: { FirstTriviaToken: 2, LastTriviaToken: 7, MultiLineCommentTrivia: 3 },
  // the source is always empty there: its first token is the end of the file
  createScanner: () => ({ setLanguageVariant() {}, setText() {}, scan: () => 1 }),
});

/**
 * To be called before anything of tslab is loaded: puts a stand-in for TypeScript where tslab looks for it. The
 * thread that runs cells then needs no compiler, which saves half a second and 70 MB; whoever asks for more than the
 * stand-in has gets the real one.
 */
export function prepareTslab(): void {
  const file = requireTslab.resolve('@tslab/typescript-for-tslab');
  const { cache } = requireTslab;
  if (cache[file]?.exports === standIn) return;
  if (cache[file]) compiler = cache[file].exports as TypeScript;
  const module = new Module(file) as NodeJS.Module;
  module.filename = file;
  module.loaded = true;
  module.exports = standIn;
  cache[file] = module;
}

let lightMembers: Record<string, unknown> | undefined;

const standIn: unknown = new Proxy(
  {},
  {
    get(_, name) {
      if (typeof name === 'symbol') return undefined;
      if (name === '__esModule') return true; // then tslab takes it as it is, and does not copy its members
      if (Object.hasOwn(overrides, name)) return overrides[name];
      if (compiler === undefined) {
        lightMembers ??= light();
        if (Object.hasOwn(lightMembers, name)) return lightMembers[name];
      }
      return loadTypeScript()[name as keyof TypeScript];
    },
  },
);

/** tslab's modules. */
export function loadTslab(): Tslab {
  prepareTslab();
  return {
    ...(requireTslab('./dist/converter.js') as Pick<Tslab, 'createConverter'>),
    ...(requireTslab('./dist/executor.js') as Pick<Tslab, 'createExecutor'>),
    ...(requireTslab('./dist/metadata.js') as Pick<Tslab, 'getCodeMetadata'>),
  };
}
