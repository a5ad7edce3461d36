import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type TS from 'typescript';
import type { LanguageOptions, Strictness } from '../cell-engine.js';
import { findAbove } from '../modules/project.js';
import { ts } from './typescript.js';

/** Options of the project's tsconfig.json that say where modules are and what their syntax is. */
const followed = [
  'baseUrl',
  'paths',
  'pathsBasePath',
  'rootDirs',
  'typeRoots',
  'types',
  'lib',
  'customConditions',
  'moduleSuffixes',
  'resolvePackageJsonExports',
  'resolvePackageJsonImports',
  'preserveSymlinks',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'experimentalDecorators',
  'emitDecoratorMetadata',
] as const;

/** Additions to the standard library since ES2023, each with a sign that this Node has it. */
const additions: readonly (readonly [lib: string, exists: boolean])[] = [
  ['esnext.disposable', true], // `using` is translated
  ['es2024.object', 'groupBy' in Object],
  ['es2024.collection', 'groupBy' in Map],
  ['es2024.promise', 'withResolvers' in Promise],
  ['es2024.arraybuffer', 'resize' in ArrayBuffer.prototype],
  ['es2024.string', 'isWellFormed' in String.prototype],
  ['es2024.sharedmemory', 'waitAsync' in Atomics],
  ['esnext.array', 'fromAsync' in Array],
  ['esnext.collection', 'union' in Set.prototype],
  ['esnext.iterator', 'Iterator' in globalThis],
  ['es2024.regexp', 'unicodeSets' in RegExp.prototype],
  ['esnext.error', 'isError' in Error],
  ['esnext.promise', 'try' in Promise],
  ['esnext.float16', 'Float16Array' in globalThis],
];

const library = [
  'lib.es2023.d.ts',
  ...additions.flatMap(([lib, exists]) => (exists ? [`lib.${lib}.d.ts`] : [])),
];

export function compilerOptions(
  { folder, projectRoot }: LanguageOptions,
  strictness: Strictness,
): TS.CompilerOptions {
  const project = projectOptions(folder);
  return {
    // what Node lacks is translated, or its library says so
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    allowJs: true,
    resolveJsonModule: true,
    esModuleInterop: true,
    skipLibCheck: true,
    noEmit: true,
    allowUnreachableCode: true,
    allowUnusedLabels: true,
    ...project,
    types: ['node', ...(project.types ?? [])],
    lib: [...new Set([...library, ...(project.lib ?? [])])],
    typeRoots: project.typeRoots ?? typeRoots(projectRoot),
    strict: strictness === 'strict',
  };
}

/** A tsconfig.json that cannot be read is followed as far as it can: the loader of modules says what is wrong. */
function projectOptions(folder: string): TS.CompilerOptions {
  const file = findAbove(folder, 'tsconfig.json');
  if (file === undefined) return {};
  const { config } = ts.readConfigFile(file, ts.sys.readFile) as { config?: unknown };
  // the list of the project's files is of no interest, and long to make
  const host = { ...ts.sys, readDirectory: () => [] };
  const { options } = ts.parseJsonConfigFileContent(config ?? {}, host, path.dirname(file), undefined, file);
  return Object.fromEntries(followed.flatMap((name) => (name in options ? [[name, options[name]]] : [])));
}

/** `@types` of the project and the folders above it, then those this package was installed with. */
function typeRoots(projectRoot: string): string[] {
  const roots: string[] = [];
  for (let at = projectRoot; ; at = path.dirname(at)) {
    const root = path.join(at, 'node_modules', '@types');
    if (existsSync(root)) roots.push(root);
    if (at === path.dirname(at)) break;
  }
  if (roots.some((root) => existsSync(path.join(root, 'node')))) return roots;
  const require = createRequire(import.meta.url);
  // a direct dependency of tslab's, whatever else was installed
  for (const from of [require, createRequire(require.resolve('tslab/package.json'))]) {
    try {
      return [...roots, path.dirname(path.dirname(from.resolve('@types/node/package.json')))];
    } catch {
      // the other one may know it
    }
  }
  return roots;
}
