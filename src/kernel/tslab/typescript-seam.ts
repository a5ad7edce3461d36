import type * as TS from '@tslab/typescript-for-tslab';
import { overrideTypeScript, type TypeScript } from './package.js';

/** What stands in for functions of TypeScript while tslab works for one compiler. */
export interface Replacements {
  readonly folder: string;
  watchFile(file: string, changed: TS.FileWatcherCallback): TS.FileWatcher;
  readFile(file: string, encoding?: string): string | undefined;
  fileExists(file: string): boolean;
  createHost(files: readonly string[], options: TS.CompilerOptions, rest: readonly unknown[]): object;
  /** Root files beside those of tslab. */
  readonly roots: readonly string[];
  /** Told how to make a change of `roots` known. */
  watched(setRoots: () => void): void;
  transpile(code: string, options: TS.TranspileOptions): TS.TranspileOutput;
  diagnose(files: readonly TS.SourceFile[]): readonly TS.Diagnostic[];
}

/** tslab's converter knows one TypeScript; this is whom it works for at the moment. */
let working: Replacements | undefined;
let isInstalled = false;

/** Calls a function of tslab whose TypeScript is to be this one. */
export function workFor<T>(ts: TypeScript, replacements: Replacements, task: () => T): T {
  install(ts);
  const before = working;
  working = replacements;
  try {
    return task();
  } finally {
    working = before;
  }
}

function install(ts: TypeScript): void {
  if (isInstalled) return;
  isInstalled = true;
  const current = (): Replacements => {
    if (working === undefined) throw new Error('tslab converts outside a compiler');
    return working;
  };
  const system = Object.create(ts.sys) as TS.System;
  system.getCurrentDirectory = () => working?.folder ?? ts.sys.getCurrentDirectory();
  system.watchFile = (file, changed) => current().watchFile(file, changed);
  system.watchDirectory = () => ({ close() {} });
  system.readFile = (file, encoding) => current().readFile(file, encoding);
  system.fileExists = (file) => current().fileExists(file);
  overrideTypeScript({
    sys: system,
    createWatchCompilerHost: (files: string[], options: TS.CompilerOptions, ...rest: unknown[]) =>
      current().createHost(files, options, rest),
    createWatchProgram: (host: TS.WatchCompilerHostOfFilesAndCompilerOptions<TS.BuilderProgram>) => {
      const compiler = current();
      const watch = ts.createWatchProgram(host);
      let files: readonly string[] = host.rootFiles.filter((file) => !compiler.roots.includes(file));
      const setRoots = (): void => watch.updateRootFileNames([...files, ...compiler.roots]);
      compiler.watched(setRoots);
      const updateRootFileNames = (given: string[]): void => {
        files = given; // tslab gives its list anew with each cell that is a module
        setRoots();
      };
      return { ...watch, updateRootFileNames };
    },
    transpileModule: (code: string, options: TS.TranspileOptions) => current().transpile(code, options),
    getPreEmitDiagnosticsOfFiles: (_: unknown, files: readonly TS.SourceFile[]) => current().diagnose(files),
  });
}
