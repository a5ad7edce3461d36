import type {
  AnyNode,
  ExportDefaultDeclaration,
  ImportDeclaration,
  Statement,
  VariableDeclaration,
} from 'acorn';
import type { Rewriting } from './rewrite.js';

/**
 * Turns declarations, imports and exports of the top level into statements of a function.
 * @returns statements that make the functions available, before anything else runs
 */
export function moduleStatements(rewriting: Rewriting): string[] {
  const { program, edits, declared } = rewriting;
  const functions: string[] = [];

  const declare = (node: AnyNode): void => {
    if (node.type === 'FunctionDeclaration' && node.id) {
      if (declared.has(node.id.name)) functions.push(`${rewriting.box(node.id.name)} = ${node.id.name};`);
    } else if (node.type === 'ClassDeclaration' && node.id) {
      const { name } = node.id;
      if (!declared.has(name)) return;
      const after = rewriting.reached([name]).map((code) => `, ${code}`);
      edits.wrap(node.start, node.end, `(${rewriting.box(name)} = `, `${after.join('')});`);
    }
  };

  for (const node of program.body) {
    switch (node.type) {
      case 'ImportDeclaration':
        importNames(rewriting, node);
        edits.replace(node.start, node.end, '');
        break;
      case 'ExportAllDeclaration':
        load(rewriting, String(node.source.value), []);
        edits.replace(node.start, node.end, '');
        break;
      case 'ExportNamedDeclaration':
        if (node.declaration) {
          edits.replace(node.start, node.declaration.start, '');
          declare(node.declaration);
        } else {
          if (node.source) load(rewriting, String(node.source.value), []);
          edits.replace(node.start, node.end, '');
        }
        break;
      case 'ExportDefaultDeclaration':
        exportDefault(rewriting, node);
        declare(node.declaration);
        break;
      default:
        declare(node);
    }
  }
  for (const declaration of variableDeclarations(rewriting)) assign(rewriting, declaration);
  return functions;
}

function exportDefault({ edits }: Rewriting, { start, declaration }: ExportDefaultDeclaration): void {
  edits.replace(start, declaration.start, '');
  if (!isNamed(declaration)) edits.wrap(declaration.start, declaration.end, '(', ')');
}

/** A declaration of the cell, and no expression. */
const isNamed = (node: AnyNode): boolean =>
  (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && Boolean(node.id);

function importNames(rewriting: Rewriting, { specifiers, source }: ImportDeclaration): void {
  const { cell, prefix, header } = rewriting;
  const wanted = specifiers.filter(({ local }) => !cell.typeImports.has(local.name));
  // all of them are types: nothing is imported
  if (specifiers.length > 0 && wanted.length === 0) return;
  const bindings = wanted.map((specifier) => ({
    local: specifier.local.name,
    imported:
      specifier.type === 'ImportNamespaceSpecifier'
        ? undefined
        : specifier.type === 'ImportDefaultSpecifier'
          ? 'default'
          : specifier.imported.type === 'Identifier'
            ? specifier.imported.name
            : String(specifier.imported.value),
  }));
  const names = bindings.flatMap(({ imported }) => imported ?? []);
  const namespace = load(rewriting, String(source.value), names);
  for (const { local, imported } of bindings) {
    header.push(
      imported === undefined
        ? `${rewriting.box(local)} = ${namespace};`
        : `${prefix}.link(${JSON.stringify(local)}, ${namespace}, ${JSON.stringify(imported)});`,
    );
  }
  for (const code of rewriting.reached(bindings.map(({ local }) => local))) header.push(`${code};`);
}

/** @returns name of the variable that holds the namespace */
function load({ prefix, header, fresh }: Rewriting, specifier: string, names: readonly string[]): string {
  const namespace = fresh();
  header.push(
    `const ${namespace} = await ${prefix}.load(${JSON.stringify(specifier)}, ${JSON.stringify(names)});`,
  );
  return namespace;
}

/** Those with a name of the cell: also `var` in blocks and loops. */
function variableDeclarations({ declared }: Rewriting): Set<VariableDeclaration> {
  const declarations = new Set<VariableDeclaration>();
  for (const { defs } of declared.values()) {
    for (const definition of defs) {
      if (definition.type === 'Variable')
        declarations.add(definition.parent as unknown as VariableDeclaration);
    }
  }
  return declarations;
}

/** `const a = 1, { b } = o;` → `(a = 1, { b: b } = o);`; the names themselves are rewritten with the references. */
function assign(rewriting: Rewriting, declaration: VariableDeclaration): void {
  const { found, edits, cell, declared, header } = rewriting;
  const { declarations, kind, start, end } = declaration;
  const parent = found.parents.get(declaration)!;
  const first = declarations[0]!;
  const last = declarations.at(-1)!;
  const isHead = /^For/.test(parent.type) && (parent as { body?: AnyNode }).body !== declaration;
  edits.replace(start, first.start, '');
  for (const { id, init } of declarations) {
    // variables of the compiler beside those of the cell
    if (id.type === 'Identifier' && !declared.has(id.name)) header.push(`var ${id.name};`);
    if (init || id.type !== 'Identifier' || /^For(In|Of)/.test(parent.type)) continue;
    const isEmpty = declared.has(id.name) && (kind !== 'var' || cell.resets.has(id.name));
    edits.replace(id.start, id.end, isEmpty ? `${rewriting.box(id.name)} = void 0` : '0');
  }
  if (isHead) return;
  const names = /^(Program|Export)/.test(parent.type) ? [...declaredNames(rewriting, declaration)] : [];
  const after = rewriting.reached(names).map((code) => `, ${code}`);
  const isOpen = cell.js[end - 1] !== ';';
  edits.wrap(first.start, last.end, '(', `${after.join('')})${isOpen ? ';' : ''}`);
}

function* declaredNames({ declared }: Rewriting, declaration: VariableDeclaration): Generator<string> {
  for (const [name, { defs }] of declared) {
    if (defs.some((definition) => (definition.parent as unknown) === declaration)) yield name;
  }
}

/**
 * Keeps the value of the last statement, where that is an expression.
 * @returns whether it is
 */
export function captureValue({ program, edits, cell, prefix }: Rewriting): boolean {
  let last = lastOf(program.body);
  // `using` puts all that follows it into a block
  if (last?.type === 'TryStatement') last = lastOf(last.block.body);
  if (last?.type === 'ExpressionStatement') {
    const end = cell.js[last.end - 1] === ';' ? last.end - 1 : last.end;
    edits.wrap(last.start, end, `${prefix}.value = (`, ')');
    return true;
  }
  if (last?.type !== 'ExportDefaultDeclaration' || isNamed(last.declaration)) return false;
  edits.wrap(last.declaration.start, last.declaration.end, `${prefix}.value = (`, ')');
  return true;
}

const lastOf = (statements: readonly (Statement | AnyNode)[]): AnyNode | undefined =>
  [...statements]
    .reverse()
    .find(
      (node) =>
        node.type !== 'EmptyStatement' && !(node.type === 'ExportNamedDeclaration' && !node.declaration),
    ) as AnyNode | undefined;
