import type { AnyNode, Identifier } from 'acorn';
import type { Definition, Variable } from 'eslint-scope';
import type { Survey } from './survey.js';

/** Where a `let`, `const` or class of the top level gets its value. */
interface Birth {
  /** Code that stands behind here finds it initialised, as far as its own place goes. */
  readonly end: number;
  /** Its initial value, evaluated before. */
  readonly init?: AnyNode;
  /** End of the whole declaration. */
  readonly done: number;
}

/**
 * References that may be evaluated before the declaration was reached, by name of the variable: they have to throw
 * a ReferenceError then. All others can do without a check.
 */
export function uninitialised(
  variables: readonly Variable[],
  { parents, functions, firstCall }: Survey,
): Map<string, ReadonlySet<Identifier>> {
  const late = new Map<string, ReadonlySet<Identifier>>();
  for (const variable of variables) {
    const birth = variable.defs[0] && birthOf(variable.defs[0], parents);
    if (birth === undefined) continue;
    const isBefore = ({ start }: AnyNode): boolean => start < birth.end || isWithin(start, birth.init);
    const names = variable.identifiers as unknown as Identifier[];
    const references = variable.references
      .map(({ identifier }) => identifier as unknown as Identifier)
      .filter((identifier) => !names.includes(identifier))
      .filter((identifier) => {
        const outermost = functions.get(identifier);
        if (outermost === undefined) return isBefore(identifier);
        // nothing is called before the declaration is done, so this function is not
        if (firstCall >= birth.done) return false;
        return isHoisted(outermost, parents) || isBefore(outermost);
      });
    if (references.length > 0) late.set(variable.name, new Set(references));
  }
  return late;
}

function birthOf(definition: Definition, parents: Survey['parents']): Birth | undefined {
  if (definition.type === 'ClassName') {
    const { end } = definition.node as unknown as AnyNode;
    return { end, done: end };
  }
  if (definition.type !== 'Variable' || definition.parent.kind === 'var') return undefined;
  const declarator = definition.node as unknown as AnyNode & { readonly init?: AnyNode | null };
  const { end: done, init } = declarator;
  // in `{ a, b = a }` the element is `a`, and what follows may use it
  let element = definition.name as unknown as AnyNode;
  for (
    let above = parents.get(element)!;
    !/^(Object|Array)Pattern$/.test(above.type);
    above = parents.get(above)!
  ) {
    element = above;
    if (above === declarator) break;
  }
  return { end: element.end, done, ...(init && { init }) };
}

const isWithin = (offset: number, node: AnyNode | undefined): boolean =>
  node !== undefined && node.start <= offset && offset < node.end;

/** Declared at the top level, so that it can be called from the first statement on. */
const isHoisted = (node: AnyNode, parents: Survey['parents']): boolean =>
  node.type === 'FunctionDeclaration' && /^(Program|Export)/.test(parents.get(node)!.type);
