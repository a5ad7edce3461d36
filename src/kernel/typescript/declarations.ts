import type TS from 'typescript';
import { ts } from './typescript.js';

export type NameKind =
  'const' | 'let' | 'var' | 'function' | 'class' | 'enum' | 'namespace' | 'import' | 'type';

/** What a name of a cell means to TypeScript. */
export interface Declared {
  readonly kind: NameKind;
  /** It stands for a value, for a type, or for both. */
  readonly isValue: boolean;
  readonly isType: boolean;
}

/** What the top level of a cell declares, before types are taken out. */
export interface CellDeclarations {
  readonly names: ReadonlyMap<string, Declared>;
  /** Names that `export const x` and the like export already. */
  readonly exported: ReadonlySet<string>;
  /** Enums and namespaces: they start anew, and do not grow one of the same name in an earlier cell. */
  readonly resets: ReadonlySet<string>;
  /** Every identifier in the cell. */
  readonly identifiers: ReadonlySet<string>;
  /** The last statement is an expression: it is the cell's value. */
  readonly hasValue: boolean;
  /** It adds to global types or to those of a package: later cells see that too. */
  readonly isGlobal: boolean;
  readonly imports: readonly TS.ImportDeclaration[];
}

export function readDeclarations(file: TS.SourceFile): CellDeclarations {
  const names = new Map<string, Declared>();
  const exported = new Set<string>();
  const resets = new Set<string>();
  const imports: TS.ImportDeclaration[] = [];
  let isGlobal = false;

  const declare = (name: string, kind: NameKind, isValue: boolean, isType: boolean): void => {
    const known = names.get(name);
    // `class A` and `namespace A`, `const A` and `type A`: the value says what kind it is
    const keepsKind = known?.isValue === true;
    names.set(name, {
      kind: keepsKind ? known.kind : kind,
      isValue: isValue || known?.isValue === true,
      isType: isType || known?.isType === true,
    });
  };

  for (const statement of file.statements) {
    const isExported = hasModifier(statement, ts.SyntaxKind.ExportKeyword);
    const declareHere = (name: string, kind: NameKind, isValue: boolean, isType: boolean): void => {
      declare(name, kind, isValue, isType);
      if (isExported && !hasModifier(statement, ts.SyntaxKind.DefaultKeyword)) exported.add(name);
    };
    if (ts.isVariableStatement(statement)) {
      const kind = kindOf(statement.declarationList);
      for (const { name } of statement.declarationList.declarations) {
        for (const bound of namesOf(name)) declareHere(bound, kind, true, false);
      }
    } else if (ts.isFunctionDeclaration(statement)) {
      if (statement.name) declareHere(statement.name.text, 'function', true, false);
    } else if (ts.isClassDeclaration(statement)) {
      if (statement.name) declareHere(statement.name.text, 'class', true, true);
    } else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
      declareHere(statement.name.text, 'type', false, true);
    } else if (ts.isEnumDeclaration(statement)) {
      declareHere(statement.name.text, 'enum', true, true);
      resets.add(statement.name.text);
    } else if (ts.isModuleDeclaration(statement)) {
      if (ts.isStringLiteral(statement.name) || statement.flags & ts.NodeFlags.GlobalAugmentation) {
        isGlobal = true;
      } else {
        declareHere(statement.name.text, 'namespace', true, true);
        resets.add(statement.name.text);
      }
    } else if (ts.isImportEqualsDeclaration(statement)) {
      declareHere(statement.name.text, 'import', true, true);
    } else if (ts.isImportDeclaration(statement)) {
      imports.push(statement);
      // a package imported for its effect may add to types
      if (statement.importClause === undefined) isGlobal = true;
      for (const { text } of importedNames(statement)) declareHere(text, 'import', true, true);
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause && ts.isNamedExports(exportClause)) {
        for (const { name } of exportClause.elements) exported.add(name.text);
      } else if (exportClause) exported.add(exportClause.name.text);
    } else {
      for (const name of hoistedNames(statement)) declare(name, 'var', true, false);
    }
  }
  const identifiers = new Set<string>();
  const collect = (node: TS.Node): void => {
    if (ts.isIdentifier(node)) identifiers.add(node.text);
    ts.forEachChild(node, collect);
  };
  collect(file);
  return { names, exported, resets, identifiers, hasValue: endsInExpression(file), isGlobal, imports };
}

/** Local names of an import, in order. */
export function importedNames({ importClause }: TS.ImportDeclaration): TS.Identifier[] {
  if (importClause === undefined) return [];
  const { name, namedBindings } = importClause;
  const bound =
    namedBindings === undefined
      ? []
      : ts.isNamespaceImport(namedBindings)
        ? [namedBindings.name]
        : namedBindings.elements.map((element) => element.name);
  return name ? [name, ...bound] : bound;
}

function kindOf({ flags }: TS.VariableDeclarationList): NameKind {
  if (!(flags & ts.NodeFlags.BlockScoped)) return 'var';
  // `using` and `await using` too are never assigned again
  return flags & (ts.NodeFlags.Const | ts.NodeFlags.Using) ? 'const' : 'let';
}

function* namesOf(name: TS.BindingName): Generator<string> {
  if (ts.isIdentifier(name)) return void (yield name.text);
  for (const element of name.elements) {
    if (ts.isBindingElement(element)) yield* namesOf(element.name);
  }
}

/** `var` in a block, a loop or its head belongs to the cell's top level. */
function* hoistedNames(node: TS.Node): Generator<string> {
  if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isModuleDeclaration(node)) return;
  if (ts.isVariableDeclarationList(node) && kindOf(node) === 'var') {
    for (const { name } of node.declarations) yield* namesOf(name);
  }
  const children: TS.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* hoistedNames(child);
}

/** Types that follow the last expression don't hide its value. */
function endsInExpression({ statements }: TS.SourceFile): boolean {
  const last = [...statements].reverse().find((statement) => !isErased(statement));
  if (last === undefined) return false;
  return ts.isExpressionStatement(last) || (ts.isExportAssignment(last) && last.isExportEquals !== true);
}

const isErased = (statement: TS.Statement): boolean =>
  ts.isEmptyStatement(statement) ||
  ts.isInterfaceDeclaration(statement) ||
  ts.isTypeAliasDeclaration(statement) ||
  hasModifier(statement, ts.SyntaxKind.DeclareKeyword);

const hasModifier = (node: TS.Node, kind: TS.SyntaxKind): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) === true;
