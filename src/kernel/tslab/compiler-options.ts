import type * as TS from '@tslab/typescript-for-tslab';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LanguageOptions, Strictness } from '../cell-engine.js';
import { findProject, type Project } from '../modules/project.js';
import type { TypeScript } from './package.js';

const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../../..');

/** Options of the project that say what its syntax means; those about strictness are the kernel's setting. */
const followed = [
  'experimentalDecorators',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'customConditions',
];

/** Options for cells, over those of tslab: packages with `exports`, the project's paths, what this Node can do. */
export function cellOptions(
  ts: TypeScript,
  { folder }: LanguageOptions,
  strictness: Strictness,
): TS.CompilerOptions {
  const project = findProject(folder);
  const { tsconfig } = project;
  const own = tsconfig?.compilerOptions ?? {};
  const mapped = (tsconfig?.paths ?? []).map(({ pattern, targets }): [string, string[]] => [
    pattern,
    [...targets],
  ]);
  return {
    ...Object.fromEntries(followed.filter((name) => name in own).map((name) => [name, own[name]])),
    experimentalDecorators: own.experimentalDecorators === true,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    allowJs: true,
    checkJs: false,
    // a value before a comma, code after a return: a notebook may try things
    allowUnreachableCode: true,
    allowUnusedLabels: true,
    strict: strictness === 'strict',
    sourceMap: true,
    // cells may import from any folder; tslab would allow none above its own
    rootDir: path.parse(folder).root,
    ...(tsconfig?.baseUrl === undefined ? {} : { baseUrl: tsconfig.baseUrl }),
    paths: { ...Object.fromEntries(mapped), ...ownPackage(folder, project) },
    // those of Node come later, as a file: a first cell seldom needs them
    types: Array.isArray(own.types) ? (own.types as string[]).filter((name) => name !== 'node') : [],
  };
}

/** Types of this package for a notebook that has no copy of it, as the loader of modules falls back to it too. */
function ownPackage(folder: string, { name }: Project): Record<string, string[]> {
  if (name === 'gondwana') return {};
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, 'node_modules', 'gondwana', 'package.json'))) return {};
    if (at === path.dirname(at)) break;
  }
  return {
    gondwana: [path.join(packageRoot, 'dist/index.d.ts')],
    'gondwana/engine': [path.join(packageRoot, 'dist/engine/index.d.ts')],
    'gondwana/encoders': [path.join(packageRoot, 'dist/encoders/index.d.ts')],
    'gondwana/decoders': [path.join(packageRoot, 'dist/decoders/index.d.ts')],
  };
}

/** Folders of `@types` above the notebook's; the ones this package was installed with where none has Node's. */
export function typeRoots(folder: string): string[] {
  const roots: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    const root = path.join(at, 'node_modules', '@types');
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) roots.push(root);
    if (at === path.dirname(at)) break;
  }
  if (!roots.some((root) => existsSync(path.join(root, 'node')))) {
    roots.push(ownTypes());
  }
  return roots;
}

/** Node's types of this package, else those that tslab brings. */
function ownTypes(): string {
  const here = createRequire(import.meta.url);
  const search = [here, createRequire(here.resolve('tslab/package.json'))];
  for (const { resolve } of search) {
    try {
      return path.dirname(path.dirname(resolve('@types/node/package.json')));
    } catch {
      // tslab depends on them
    }
  }
  return path.join(packageRoot, 'node_modules/@types');
}

/** Parts of the standard library that this Node has and TypeScript 5.0 does not know. */
export function newerLibrary(): string {
  const typed = ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64'];
  const declarations = [
    'interface ImportMeta { url: string; dirname: string; filename: string; resolve(specifier: string): string }',
    'interface ImportCallOptions { with?: Record<string, string> }',
    ...['Array', 'ReadonlyArray'].map(
      (name) => `interface ${name}<T> {
        toReversed(): T[]; toSorted(compare?: (a: T, b: T) => number): T[]; with(index: number, value: T): T[];
        toSpliced(start: number, count: number, ...items: T[]): T[]; toSpliced(start: number, count?: number): T[]; }`,
    ),
    ...typed.map((name) => copyingMethods(`${name}Array`, 'number')),
    ...['BigInt64Array', 'BigUint64Array'].map((name) => copyingMethods(name, 'bigint')),
  ];
  for (const [owner, member, declaration] of additions) if (member in owner) declarations.push(declaration);
  return declarations.join('\n');
}

const copyingMethods = (name: string, element: string): string =>
  `interface ${name} { toReversed(): ${name}; toSorted(compare?: (a: ${element}, b: ${element}) => number): ${name}; with(index: number, value: ${element}): ${name}; }`;

/** Each with a sign that this Node has it. */
const additions: readonly (readonly [owner: object, member: string, declaration: string])[] = [
  [
    Object,
    'groupBy',
    'interface ObjectConstructor { groupBy<K extends PropertyKey, T>(items: Iterable<T>, key: (item: T, index: number) => K): Partial<Record<K, T[]>>; }',
  ],
  [
    Map,
    'groupBy',
    'interface MapConstructor { groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>; }',
  ],
  [
    Promise,
    'withResolvers',
    'interface PromiseConstructor { withResolvers<T>(): { promise: Promise<T>; resolve: (value: T | PromiseLike<T>) => void; reject: (reason?: any) => void }; }',
  ],
  [
    Array,
    'fromAsync',
    'interface ArrayConstructor { fromAsync<T>(items: AsyncIterable<T> | Iterable<T | PromiseLike<T>>): Promise<T[]>; }',
  ],
  [
    Set.prototype,
    'union',
    `interface Set<T> {
      union<U>(other: ReadonlySet<U>): Set<T | U>; intersection<U>(other: ReadonlySet<U>): Set<T & U>;
      difference(other: ReadonlySet<unknown>): Set<T>; symmetricDifference<U>(other: ReadonlySet<U>): Set<T | U>;
      isSubsetOf(other: ReadonlySet<unknown>): boolean; isSupersetOf(other: ReadonlySet<unknown>): boolean;
      isDisjointFrom(other: ReadonlySet<unknown>): boolean; }`,
  ],
  [String.prototype, 'isWellFormed', 'interface String { isWellFormed(): boolean; toWellFormed(): string; }'],
];

export const libraries = ['lib.es2023.d.ts'];
