import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { inspect, types, type InspectOptions } from 'node:util';
import vm from 'node:vm';

export type Namespace = Readonly<Record<string, unknown>>;

type ImportFunction = (specifier: string) => Promise<Namespace>;

/** Name of a file that need not exist, in whose place cells are resolved. */
export const cellFile = (folder: string): string => path.join(folder, '__cell__.js');

const importers = new Map<string, ImportFunction>();

/**
 * Node's own `import()`, as a file of that folder would call it: exports maps, the package's own name, `#imports`,
 * modules with top-level await.
 */
export function importNatively(specifier: string, fromFolder: string): Promise<Namespace> {
  let load = importers.get(fromFolder);
  if (load === undefined) importers.set(fromFolder, (load = importerFor(fromFolder)));
  return withoutExperimentalWarning(() => load(specifier));
}

/** Node's own `require`, as a file of that folder would call it. */
export const requireNatively = (specifier: string, fromFolder: string): unknown =>
  createRequire(cellFile(fromFolder))(specifier);

export const resolveNatively = (specifier: string, fromFolder: string): string =>
  createRequire(cellFile(fromFolder)).resolve(specifier);

function importerFor(folder: string): ImportFunction {
  const script = new vm.Script('(specifier) => import(specifier)', {
    filename: cellFile(folder),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext() as ImportFunction;
}

/** Node 20 tells users that this constant is experimental; it is our choice, and they can do nothing about it. */
function withoutExperimentalWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (...given: unknown[]) => {
    if (!String(given[0]).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER')) {
      (emitWarning as (...all: unknown[]) => void).apply(process, given);
    }
  };
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const adapted = new WeakMap<object, Namespace>();

/**
 * A namespace as TypeScript's types describe it (module resolution `Bundler` with `esModuleInterop`): where a
 * CommonJS package was compiled from an ES module, `default` is its default export, not the whole package; and
 * names of a CommonJS package that Node did not find are there.
 */
export function adaptNamespace(namespace: Namespace): Namespace {
  let better = adapted.get(namespace);
  if (better === undefined) adapted.set(namespace, (better = adapt(namespace)));
  return better;
}

function adapt(namespace: Namespace): Namespace {
  const whole = namespace.default;
  if ((typeof whole !== 'object' && typeof whole !== 'function') || whole === null) return namespace;
  const exports = whole as Record<string, unknown>;
  const isCompiled = namespace.__esModule === true && exports.__esModule === true && 'default' in exports;
  const found = Object.keys(namespace);
  const missing = isCommonJs(namespace) ? ownNames(exports).filter((name) => !found.includes(name)) : [];
  if (!isCompiled && missing.length === 0) return namespace;
  return buildNamespace([
    ...missing.map((key) => [key, () => exports[key]] as const),
    ...found.map((key) => [key, () => namespace[key]] as const),
    ...(isCompiled ? [['default', () => exports.default] as const] : []),
  ]);
}

/** Node 20 does not say so, but it keeps every CommonJS module. */
function isCommonJs(namespace: Namespace): boolean {
  if ('module.exports' in namespace) return true;
  const { cache } = createRequire(import.meta.url);
  return Object.values(cache).some((module) => module?.exports === namespace.default);
}

/** Names a package could mean as exports: not those of an array or a class. */
const ownNames = (exports: Record<string, unknown>): string[] =>
  Array.isArray(exports)
    ? []
    : Object.keys(exports).filter((key) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key));

const forRequire = new WeakMap<object, Namespace>();

/** The namespace as code compiled to CommonJS wants it: marked `__esModule`, so that nothing is taken for a default. */
export function asRequired(namespace: Namespace): Namespace {
  if (isBuilt(namespace)) return namespace;
  let marked = forRequire.get(namespace);
  if (marked === undefined) {
    marked = buildNamespace(Object.keys(namespace).map((key) => [key, () => namespace[key]] as const));
    forRequire.set(namespace, marked);
  }
  return marked;
}

/** What `require` returned, as an `import` of the same would see it. */
export function namespaceOfRequired(value: unknown): Namespace {
  if (types.isModuleNamespaceObject(value)) return adaptNamespace(value as Namespace);
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return buildNamespace([['default', () => value]]);
  }
  const exports = value as Record<string, unknown>;
  if (isBuilt(exports)) return exports;
  let namespace = adapted.get(exports);
  if (namespace === undefined) {
    namespace = buildNamespace([
      ...ownNames(exports).map((key) => [key, () => exports[key]] as const),
      ...(exports.__esModule === true && 'default' in exports ? [] : [['default', () => value] as const]),
    ]);
    adapted.set(exports, namespace);
  }
  return namespace;
}

const isBuilt = (namespace: object): boolean =>
  (namespace as { __esModule?: unknown }).__esModule === true && Object.getPrototypeOf(namespace) === null;

/** Live: each name is read when it is asked for. A later entry of the same name wins. */
export function buildNamespace(entries: Iterable<readonly [string, () => unknown]>): Namespace {
  const namespace = emptyNamespace();
  for (const [name, get] of entries) addName(namespace, name, get);
  return Object.freeze(namespace);
}

export function emptyNamespace(): Namespace {
  const namespace = Object.create(null) as Namespace;
  Object.defineProperty(namespace, Symbol.toStringTag, { value: 'Module' });
  Object.defineProperty(namespace, '__esModule', { value: true });
  Object.defineProperty(namespace, Symbol.for('nodejs.util.inspect.custom'), { value: inspectNamespace });
  return namespace;
}

export function addName(namespace: Namespace, name: string, get: () => unknown): void {
  if (name === '__esModule') return; // every namespace made here has it
  Object.defineProperty(namespace, name, { get, enumerable: true, configurable: true });
}

/** As Node prints a namespace: values, not getters. */
function inspectNamespace(this: Namespace, _depth: number, options: InspectOptions): string {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(this)) {
    try {
      values[name] = this[name];
    } catch {
      values[name] = undefined; // not initialized yet, in a cycle
    }
  }
  return `[Module] ${inspect(values, options)}`;
}
