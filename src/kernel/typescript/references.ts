import type { AnyNode, Identifier } from 'acorn';
import type { Reference } from 'eslint-scope';
import type { Rewriting } from './rewrite.js';

export interface ReferenceRules {
  /** The identifiers that declare it: writing them is no assignment. */
  readonly declarations?: ReadonlySet<Identifier>;
  /** Assigning it is an error. */
  readonly isConstant: boolean;
  /** Those that may come before the declaration, and the variable that knows whether they do. */
  readonly late?: { readonly references: ReadonlySet<Identifier>; readonly flag: string };
}

/** Turns the references to one variable of the cell, or of an earlier one, into its box. */
export function rewriteReferences(
  rewriting: Rewriting,
  references: readonly Reference[],
  name: string,
  { declarations, isConstant, late }: ReferenceRules,
): void {
  const { prefix } = rewriting;
  for (const [identifier, isWrite] of identifiersOf(references)) {
    const isAssigned = isWrite && declarations?.has(identifier) !== true;
    let target = rewriting.box(name);
    if (isAssigned && isConstant) target = `${prefix}.constant.v`;
    if (late?.references.has(identifier)) {
      const box = target.slice(0, -'.v'.length);
      target = `(${late.flag} || ${prefix}.early(${JSON.stringify(name)}), ${box}).v`;
    }
    place(rewriting, identifier, target);
    if (isWrite) keepName(rewriting, identifier);
  }
}

/**
 * Names nobody declared so far: globals of the kernel, or names that a later cell declares for a function of this
 * one. They are looked up when they are used.
 */
export function rewriteUnknown(rewriting: Rewriting, references: readonly Reference[], name: string): void {
  const { prefix, found, edits } = rewriting;
  const known = `${JSON.stringify(name)} in ${prefix}.names`;
  const box = `${prefix}.names.${name}.v`;
  for (const [identifier, isWrite] of identifiersOf(references)) {
    const parent = found.parents.get(identifier);
    if (isWrite) continue;
    if (name === 'arguments') place(rewriting, identifier, `${prefix}.missing("arguments")`);
    else if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof')
      edits.replace(parent.start, parent.end, `(${known} ? typeof ${box} : typeof ${name})`);
    else place(rewriting, identifier, `(${known} ? ${box} : ${name})`);
  }
}

/** One identifier may be read and written, as in `[a = 1] = []`. */
function identifiersOf(references: readonly Reference[]): Map<Identifier, boolean> {
  const identifiers = new Map<Identifier, boolean>();
  for (const reference of references) {
    const identifier = reference.identifier as unknown as Identifier;
    identifiers.set(identifier, identifiers.get(identifier) === true || reference.isWrite());
  }
  return identifiers;
}

function place({ found: { parents }, edits }: Rewriting, identifier: Identifier, target: string): void {
  const { start, end, name } = identifier;
  const parent = parents.get(identifier)!;
  if (parent.type === 'ExportSpecifier') return;
  if (isShorthand(identifier, parent, parents)) {
    // `__proto__: x` would set the prototype
    const key = name === '__proto__' ? '["__proto__"]' : name;
    return edits.replace(start, end, `${key}: ${target}`);
  }
  const isCalled =
    (parent.type === 'CallExpression' && parent.callee === identifier) ||
    (parent.type === 'TaggedTemplateExpression' && parent.tag === identifier);
  // `this` of a plain call is undefined, not the box
  edits.replace(start, end, isCalled ? `(0, ${target})` : target);
}

function isShorthand(
  identifier: Identifier,
  parent: AnyNode,
  parents: ReadonlyMap<AnyNode, AnyNode>,
): boolean {
  if (parent.type === 'AssignmentPattern' && parent.left === identifier) {
    const above = parents.get(parent)!;
    return above.type === 'Property' && above.shorthand && above.value === parent;
  }
  return parent.type === 'Property' && parent.shorthand && parent.value === identifier;
}

/** `f = () => {}` names the function; a property that is assigned would not. */
function keepName({ found: { parents }, edits }: Rewriting, identifier: Identifier): void {
  const parent = parents.get(identifier)!;
  const value =
    parent.type === 'VariableDeclarator' && parent.id === identifier
      ? parent.init
      : parent.type === 'AssignmentPattern' && parent.left === identifier
        ? parent.right
        : parent.type === 'AssignmentExpression' &&
            parent.left === identifier &&
            /^(&&|\|\||\?\?)?=$/.test(parent.operator)
          ? parent.right
          : undefined;
  if (!value || !isAnonymous(value)) return;
  const key = JSON.stringify(identifier.name);
  edits.wrap(value.start, value.end, `{ [${key}]: `, ` }[${key}]`);
}

const isAnonymous = (node: AnyNode): boolean =>
  node.type === 'ArrowFunctionExpression' ||
  ((node.type === 'FunctionExpression' || node.type === 'ClassExpression') && !node.id);
