import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

/** Members of TypeScript's nodes that are not in its types. */
export type CellFile = TS.SourceFile & { readonly locals?: ReadonlyMap<string, TS.Symbol> };

export interface CellContext {
  readonly checker: TS.TypeChecker;
  readonly cell: CellFile;
  /** The file with the declarations of earlier cells. */
  readonly earlier: CellFile;
  /** Names that earlier cells only declared (`declare const x`): they are the globals of that name. */
  readonly ambient: ReadonlySet<string>;
}

/** What a name in a cell stands for. */
export type Meaning =
  /** A name of the cell's own top level; `isOutliving`: used where it may have been declared anew since. */
  | { readonly kind: 'own'; readonly isOutliving: boolean }
  | { readonly kind: 'earlier' }
  /** `__dirname` or `__filename` of CommonJS modules. */
  | { readonly kind: 'module' }
  /** Nothing is known of it: only where types are not checked. */
  | { readonly kind: 'unresolved' }
  /** A parameter, a property, a global, a type. */
  | { readonly kind: 'other' };

/** Variables that Node gives to CommonJS modules. */
const ofModules = new Set(['__dirname', '__filename']);
const other: Meaning = { kind: 'other' };

export type CellSymbols = ReturnType<typeof createSymbols>;

/** Questions about the names of a cell. */
export function createSymbols(ts: TypeScript, { checker, cell, earlier, ambient }: CellContext) {
  const locals = cell.locals ?? new Map<string, TS.Symbol>();

  /** Names of the cell's top level that are values: declared by it, or only said to exist. */
  function declaredNames(): { declared: string[]; ambient: string[] } {
    const found = { declared: [] as string[], ambient: [] as string[] };
    for (const [key, symbol] of locals) {
      const name = ts.unescapeLeadingUnderscores(key as TS.__String);
      if (isValue(symbol) && name !== '__global')
        found[isAmbient(symbol) ? 'ambient' : 'declared'].push(name);
    }
    return found;
  }

  function meaningOf(node: TS.Identifier, symbol = checker.getSymbolAtLocation(node)): Meaning {
    if (symbol === undefined) return isUse(node) ? { kind: 'unresolved' } : other;
    const key = ts.escapeLeadingUnderscores(node.text) as string;
    const isInlined = (symbol.flags & ts.SymbolFlags.ConstEnum) !== 0;
    if (checker.isUndefinedSymbol(symbol) || isInlined) return other;
    if (symbol === locals.get(key)) {
      return isAmbient(symbol) ? other : { kind: 'own', isOutliving: isOutliving(node, symbol) };
    }
    if (symbol === earlier.locals?.get(key)) {
      return isValue(symbol) && !ambient.has(node.text) ? { kind: 'earlier' } : other;
    }
    return ofModules.has(node.text) && isGlobal(symbol) ? { kind: 'module' } : other;
  }

  /** In code that may run after the name was declared again, and not inside the declaration itself. */
  function isOutliving(node: TS.Node, symbol: TS.Symbol): boolean {
    let isInFunction = false;
    for (let at = node.parent; at !== cell && at !== undefined; at = at.parent) {
      if (ts.isFunctionLike(at) || ts.isPropertyDeclaration(at)) isInFunction = true;
      const isOwnBody = ts.isClassDeclaration(at) || ts.isEnumDeclaration(at) || ts.isModuleDeclaration(at);
      if (isOwnBody && symbol.declarations?.includes(at as TS.Declaration)) return false;
    }
    return isInFunction;
  }

  /** The name in a declaration, or of a property, not a use of a variable. */
  function isName(node: TS.Identifier): boolean {
    const parent = node.parent as TS.Node & { name?: TS.Node; propertyName?: TS.Node; label?: TS.Node };
    if (parent.name === node || parent.propertyName === node || parent.label === node) return true;
    const isTag = ts.isJsxOpeningLikeElement(parent) || ts.isJsxClosingElement(parent);
    return isTag && ts.isIntrinsicJsxName(node.text);
  }

  /** A name of the cell's top level where it is declared. */
  function isOwnName(node: TS.Identifier): boolean {
    const { parent } = node;
    const isProperty = (parent as { propertyName?: TS.Node }).propertyName === node;
    if (isProperty || ts.isPropertyAccessExpression(parent)) return false;
    return checker.getSymbolAtLocation(node) === locals.get(ts.escapeLeadingUnderscores(node.text) as string);
  }

  function isUse(node: TS.Identifier): boolean {
    return node.text !== 'arguments' && ts.isExpressionNode(node);
  }

  function isValue(symbol: TS.Symbol): boolean {
    if (!(symbol.flags & ts.SymbolFlags.Alias)) return (symbol.flags & ts.SymbolFlags.Value) !== 0;
    if (symbol.declarations?.some((declaration) => ts.isTypeOnlyImportOrExportDeclaration(declaration)))
      return false;
    const target = checker.getAliasedSymbol(symbol);
    // a module that cannot be found may have anything
    return (target.flags & ts.SymbolFlags.Value) !== 0 || String(target.escapedName) === 'unknown';
  }

  /** Not declared by any cell. */
  function isGlobal({ declarations = [] }: TS.Symbol): boolean {
    return declarations.every((declaration) => declaration.getSourceFile() !== cell);
  }

  function isTypesOnly(statement: TS.Statement): boolean {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return true;
    return ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isDeclare) === true;
  }

  function isDeclare({ kind }: { readonly kind: TS.SyntaxKind }): boolean {
    return kind === ts.SyntaxKind.DeclareKeyword;
  }

  function isAmbient({ declarations = [] }: TS.Symbol): boolean {
    return declarations.every(
      (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Ambient) !== 0,
    );
  }

  /** `require` and `exports` are parameters of the function that the cell becomes. */
  function isReserved(name: string): boolean {
    return (name === 'require' || name === 'exports') && locals.has(name);
  }

  function isImport(name: string): boolean {
    const symbol = locals.get(ts.escapeLeadingUnderscores(name) as string);
    return ((symbol?.flags ?? 0) & ts.SymbolFlags.Alias) !== 0;
  }

  return { declaredNames, meaningOf, isName, isOwnName, isTypesOnly, isReserved, isImport };
}
