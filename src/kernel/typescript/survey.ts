import type { AnyNode, Identifier, Program } from 'acorn';

/** What one walk over a cell's syntax tree finds out. */
export interface Survey {
  readonly parents: ReadonlyMap<AnyNode, AnyNode>;
  /** Outermost function an identifier lies in; absent at the top level. */
  readonly functions: ReadonlyMap<Identifier, AnyNode>;
  /** `this` outside functions and classes. */
  readonly tops: readonly AnyNode[];
  readonly metas: readonly AnyNode[];
  readonly dynamicImports: readonly AnyNode[];
  /** Those that name what they catch. */
  readonly catches: readonly { readonly name: string; readonly body: AnyNode }[];
  /** An `await` outside functions. */
  readonly awaits: boolean;
  /** Where the top level first calls something, and with that perhaps any function of the cell; Infinity if never. */
  readonly firstCall: number;
}

interface Surroundings {
  readonly outermost: AnyNode | undefined;
  /** `this` is the module's. */
  readonly isTop: boolean;
}

/** Nodes whose evaluation may run code of the user's. Getters and `valueOf` that look at later names are left aside. */
const calls = new Set([
  'CallExpression',
  'NewExpression',
  'TaggedTemplateExpression',
  'AwaitExpression',
  'ForOfStatement',
  'SpreadElement',
]);

export function survey(program: Program): Survey {
  const parents = new Map<AnyNode, AnyNode>();
  const functions = new Map<Identifier, AnyNode>();
  const tops: AnyNode[] = [];
  const metas: AnyNode[] = [];
  const dynamicImports: AnyNode[] = [];
  const catches: { name: string; body: AnyNode }[] = [];
  let awaits = false;
  let firstCall = Infinity;

  const visit = (node: AnyNode, { outermost, isTop }: Surroundings): void => {
    const isImmediate = outermost === undefined;
    if (isImmediate && calls.has(node.type)) firstCall = Math.min(firstCall, node.start);
    switch (node.type) {
      case 'Identifier':
        if (outermost) functions.set(node, outermost);
        return;
      case 'ThisExpression':
        if (isTop) tops.push(node);
        return;
      case 'MetaProperty':
        if (node.meta.name === 'import') metas.push(node);
        return;
      case 'ImportExpression':
        dynamicImports.push(node);
        break;
      case 'CatchClause':
        if (node.param?.type === 'Identifier') catches.push({ name: node.param.name, body: node.body });
        break;
      case 'AwaitExpression':
        awaits ||= isImmediate;
        break;
      case 'ForOfStatement':
        awaits ||= isImmediate && node.await;
        break;
      default:
    }
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child, surroundings(node, child, { outermost, isTop }));
    }
  };
  visit(program, { outermost: undefined, isTop: true });
  return { parents, functions, tops, metas, dynamicImports, catches, awaits, firstCall };
}

/** Initial values of instance fields run with the constructor, those of static fields with the class. */
function surroundings(node: AnyNode, child: AnyNode, { outermost, isTop }: Surroundings): Surroundings {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return { outermost: outermost ?? node, isTop: false };
    case 'ArrowFunctionExpression':
      return { outermost: outermost ?? node, isTop };
    case 'PropertyDefinition':
      if (child !== node.value) return { outermost, isTop };
      return { outermost: node.static ? outermost : (outermost ?? node), isTop: false };
    case 'StaticBlock':
      return { outermost, isTop: false };
    default:
      return { outermost, isTop };
  }
}

function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof (child as AnyNode | null)?.type === 'string') yield child as AnyNode;
    }
  }
}
