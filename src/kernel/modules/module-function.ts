import type { AnyNode, Identifier, Program } from 'acorn';
import type MagicString from 'magic-string';
import { createRequire } from 'node:module';
import type { Transpiled } from './transpile.js';

/** Where a name of a module comes from: a binding of its own, or one of another module. */
export type ExportSource =
  | { readonly kind: 'local'; readonly local: string }
  /** `imported` is undefined for the whole namespace. */
  | { readonly kind: 'import'; readonly specifier: string; readonly imported: string | undefined };

/**
 * An ES module as a generator function: imports and exports have become reads of namespaces and getters.
 * Its first step declares (functions exist, the rest is not initialized yet), its second step runs the module.
 */
export interface ModuleFunction {
  /** Source of a function expression; `parameterNames` are its parameters. An async generator where `isAsync`. */
  readonly code: string;
  readonly isAsync: boolean;
  /** Specifiers of the static imports, in order, each once. */
  readonly specifiers: readonly string[];
  /** Names that must exist, by specifier. */
  readonly used: readonly { readonly specifier: string; readonly name: string }[];
  readonly exported: ReadonlyMap<string, ExportSource>;
  /** Specifiers of `export * from`. */
  readonly stars: readonly string[];
  /** Place in the TypeScript file of a place in `code`; lines and columns count from 1. */
  original(line: number, column: number): { line: number; column: number } | undefined;
}

/** Loaded on first use: 50 ms that a notebook without local TypeScript does not pay. */
const requirePackage = createRequire(import.meta.url);
const acorn = () => requirePackage('acorn') as typeof import('acorn');
const eslintScope = () => requirePackage('eslint-scope') as typeof import('eslint-scope');
const magicString = () => requirePackage('magic-string') as typeof import('magic-string');
const traceMapping = () =>
  requirePackage('@jridgewell/trace-mapping') as typeof import('@jridgewell/trace-mapping');

/** Parameters of the function, beside the ones that user code may name. */
const names = { imports: '__imports', exports: '__exports', load: '__load', meta: '__meta' } as const;
export const parameterNames = [
  names.imports,
  names.exports,
  names.load,
  names.meta,
  'require',
  '__filename',
  '__dirname',
] as const;

/**
 * Names that are imported are read from the other module's namespace at every use, and exports are getters: both
 * are live, as the language says, also in cycles.
 */
export function toModuleFunction({ code, map }: Transpiled): ModuleFunction {
  const program = acorn().parse(code, { ecmaVersion: 'latest', sourceType: 'module', ranges: true });
  const text = new (magicString().default)(code);
  const imports = readImports(program);
  const places = survey(program);

  for (const { node } of places.metas) text.overwrite(node.start, node.end, names.meta);
  for (const { node } of places.dynamicImports)
    text.overwrite(node.start, node.start + 'import'.length, names.load);
  const used = rewriteReferences(program, text, imports, places);
  const { exported, stars } = readExports(program, imports, text);

  for (const node of program.body) {
    if (/^(Import|ExportAll|ExportNamed)/.test(node.type)) text.remove(node.start, node.end);
    else if (node.type === 'ExportDefaultDeclaration')
      text.overwrite(node.start, node.declaration.start, `const ${defaultName} = `);
  }
  const getters = [...exported].flatMap(([name, source]) =>
    source.kind === 'local' ? [`${JSON.stringify(name)}: () => ${source.local}`] : [],
  );
  // the block lets a module declare `require` or `__dirname` for itself
  text.prepend(
    `(${places.isAsync ? 'async ' : ''}function* (${parameterNames.join(', ')}) { "use strict"; { ` +
      `${names.exports}({ ${getters.join(', ')} }); yield; `,
  );
  text.append('\n}})');
  return {
    code: text.toString(),
    isAsync: places.isAsync,
    specifiers: imports.specifiers,
    used,
    exported,
    stars,
    original: originalFinder(text, map),
  };
}

const defaultName = '__default';

interface Imports {
  readonly specifiers: readonly string[];
  /** By local name. */
  readonly bindings: ReadonlyMap<
    string,
    { readonly specifier: string; readonly imported: string | undefined }
  >;
}

function readImports(program: Program): Imports {
  const specifiers = new Set<string>();
  const bindings = new Map<string, { specifier: string; imported: string | undefined }>();
  for (const node of program.body) {
    if (node.type === 'ExportAllDeclaration') specifiers.add(String(node.source.value));
    if (node.type !== 'ImportDeclaration') continue;
    const specifier = String(node.source.value);
    specifiers.add(specifier);
    for (const binding of node.specifiers) {
      const imported =
        binding.type === 'ImportNamespaceSpecifier'
          ? undefined
          : binding.type === 'ImportDefaultSpecifier'
            ? 'default'
            : nameOf(binding.imported);
      bindings.set(binding.local.name, { specifier, imported });
    }
  }
  return { specifiers: [...specifiers], bindings };
}

/** esbuild puts all exports into `export { … }` at the end; a CommonJS-style file ends with `export default`. */
function readExports(
  program: Program,
  { bindings }: Imports,
  text: MagicString,
): Pick<ModuleFunction, 'exported' | 'stars'> {
  const exported = new Map<string, ExportSource>();
  const stars: string[] = [];
  for (const node of program.body) {
    if (node.type === 'ExportDefaultDeclaration') {
      exported.set('default', { kind: 'local', local: defaultName });
    } else if (node.type === 'ExportAllDeclaration') {
      const specifier = String(node.source.value);
      if (node.exported)
        exported.set(nameOf(node.exported), { kind: 'import', specifier, imported: undefined });
      else stars.push(specifier);
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration || node.source)
        throw new Error(`unexpected export in ${text.original.slice(node.start, node.end)}`);
      for (const { local, exported: outer } of node.specifiers) {
        const name = nameOf(local);
        const binding = bindings.get(name);
        exported.set(
          nameOf(outer),
          binding ? { kind: 'import', ...binding } : { kind: 'local', local: name },
        );
      }
    }
  }
  return { exported, stars };
}

/** Turns every use of an imported name into a read of its namespace. @returns the names that are used */
function rewriteReferences(
  program: Program,
  text: MagicString,
  { specifiers, bindings }: Imports,
  { callees, shorthands, exportNames }: Survey,
): ModuleFunction['used'] {
  const used: { specifier: string; name: string }[] = [];
  if (bindings.size === 0) return used;
  const manager = eslintScope().analyze(program as never, {
    ecmaVersion: 2022,
    sourceType: 'module',
  });
  const scope = manager.scopes.find(({ type }) => type === 'module')!;
  for (const variable of scope.variables) {
    const binding = bindings.get(variable.name);
    if (binding === undefined) continue;
    const { specifier, imported } = binding;
    const namespace = `${names.imports}[${specifiers.indexOf(specifier)}]`;
    const value = imported === undefined ? namespace : `${namespace}[${JSON.stringify(imported)}]`;
    const references = variable.references
      .map(({ identifier }) => identifier as unknown as Identifier)
      .filter(({ start }) => !exportNames.has(start));
    if (references.length > 0 && imported !== undefined) used.push({ specifier, name: imported });
    for (const { start, end, name } of references) {
      // called as a function of its own: `this` is undefined, not the namespace
      const read = callees.has(start) ? `(0, ${value})` : value;
      text.overwrite(start, end, shorthands.has(start) ? `${name}: ${read}` : read);
    }
  }
  return used;
}

interface Survey {
  /** Starts of identifiers that are called, or tag a template. */
  readonly callees: ReadonlySet<number>;
  /** Starts of identifiers in `{ x }`. */
  readonly shorthands: ReadonlySet<number>;
  /** Starts of identifiers inside `export { x }`. */
  readonly exportNames: ReadonlySet<number>;
  readonly dynamicImports: readonly { readonly node: AnyNode }[];
  readonly metas: readonly { readonly node: AnyNode }[];
  /** Awaits outside any function. */
  readonly isAsync: boolean;
}

function survey(program: Program): Survey {
  const callees = new Set<number>();
  const shorthands = new Set<number>();
  const exportNames = new Set<number>();
  const dynamicImports: { node: AnyNode }[] = [];
  const metas: { node: AnyNode }[] = [];
  let isAsync = false;
  const visit = (node: AnyNode, depth: number): void => {
    switch (node.type) {
      case 'CallExpression':
        if (node.callee.type === 'Identifier') callees.add(node.callee.start);
        break;
      case 'TaggedTemplateExpression':
        if (node.tag.type === 'Identifier') callees.add(node.tag.start);
        break;
      case 'Property':
        if (node.shorthand) shorthands.add(node.value.start);
        break;
      case 'ExportSpecifier':
        exportNames.add(node.local.start);
        break;
      case 'ImportExpression':
        dynamicImports.push({ node });
        break;
      case 'MetaProperty':
        if (node.meta.name === 'import') metas.push({ node });
        break;
      case 'AwaitExpression':
        isAsync ||= depth === 0;
        break;
      case 'ForOfStatement':
        isAsync ||= depth === 0 && node.await;
        break;
      default:
    }
    const inside = /Function|PropertyDefinition|StaticBlock/.test(node.type) ? depth + 1 : depth;
    for (const child of childrenOf(node)) visit(child, inside);
  };
  visit(program, 0);
  return { callees, shorthands, exportNames, dynamicImports, metas, isAsync };
}

function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof (child as AnyNode | null)?.type === 'string') yield child as AnyNode;
    }
  }
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.type === 'Identifier' ? node.name! : String(node.value);

/** Both maps are read only when an error asks: most modules never need them. */
function originalFinder(text: MagicString, map: string): ModuleFunction['original'] {
  const { TraceMap, originalPositionFor } = traceMapping();
  let traces: readonly InstanceType<typeof TraceMap>[] | undefined;
  return (line, column) => {
    traces ??= [new TraceMap(text.generateMap({ hires: 'boundary' }) as never), new TraceMap(map)];
    let at = { line, column: column - 1 };
    for (const trace of traces) {
      const found = originalPositionFor(trace, at);
      if (found.line === null) return undefined;
      at = { line: found.line, column: found.column };
    }
    return { line: at.line, column: at.column + 1 };
  };
}
