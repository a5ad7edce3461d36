import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

/** Members of TypeScript's nodes that are not in its types. */
export type CellFile = TS.SourceFile & { readonly locals?: ReadonlyMap<string, TS.Symbol> };

export interface RewriteContext {
  readonly checker: TS.TypeChecker;
  readonly cell: CellFile;
  /** The file with the declarations of earlier cells. */
  readonly earlier: CellFile;
  /** Names that earlier cells only declared (`declare const x`): they are the globals of that name. */
  readonly ambient: ReadonlySet<string>;
}

/** What a cell does with names, found while it is rewritten. */
export interface CellNames {
  /** Names the cell declares as values. */
  readonly declared: Set<string>;
  /** Names of `declare const x`, `declare function f()`: no value of theirs is made. */
  readonly ambient: Set<string>;
}

/** Names in the code that tslab's converter puts out; test sequences show that cells may use them too. */
const BOX = '__cell_';
const CONTEXT = '__tslab__';
/** Variables that Node gives to CommonJS modules. */
const globalsOfModules = new Set(['__dirname', '__filename']);

/**
 * Makes a cell share its variables. Every name has a box (`engine.ts`) that all cells know; the cell that declares the
 * name connects the box with its variable, and all others, and functions that may outlive a new declaration, go
 * through the box: so closures see what later cells assign and declare. Code at the top level uses the variable
 * itself, at full speed.
 *
 * tslab would replace names by the symbol of their place, which goes wrong for shorthand, patterns and property
 * names; after this there is nothing left for it to replace.
 */
export function rewriteNames(
  ts: TypeScript,
  { checker, cell, earlier, ambient }: RewriteContext,
  names: CellNames,
): TS.TransformerFactory<TS.SourceFile> {
  return (context) => (file) => {
    if (file !== cell) return file;
    const { factory } = context;
    const boxes = new Set<string>();
    const locals = cell.locals ?? new Map<string, TS.Symbol>();
    const links: TS.PropertyAssignment[] = [];
    const assignments = new Set([
      ts.SyntaxKind.EqualsToken,
      ts.SyntaxKind.QuestionQuestionEqualsToken,
      ts.SyntaxKind.BarBarEqualsToken,
      ts.SyntaxKind.AmpersandAmpersandEqualsToken,
    ]);

    for (const [key, symbol] of locals) {
      const name = ts.unescapeLeadingUnderscores(key as TS.__String);
      if (!isValue(symbol) || name === '__global') continue;
      if (isAmbient(symbol)) names.ambient.add(name);
      else names.declared.add(name);
    }

    const imports: TS.Statement[] = [];
    const statements: TS.Statement[] = [];
    for (const statement of cell.statements) {
      // tslab's own list of all names; and what leaves no trace must not hide the last expression
      if (ts.isExportDeclaration(statement) || isTypesOnly(statement)) continue;
      const visited = ts.visitNode(statement, visit, ts.isStatement);
      if (visited) (ts.isImportDeclaration(statement) ? imports : statements).push(visited);
    }
    for (const name of names.declared) links.push(linkOf(name));
    const head: TS.Statement[] = [];
    if (boxes.size > 0) head.push(declareBoxes());
    if (links.length > 0) head.push(factory.createBlock([factory.createExpressionStatement(connect())]));
    return factory.updateSourceFile(cell, [...head, ...imports, ...statements]);

    function local(name: string): TS.Symbol | undefined {
      return locals.get(escaped(name));
    }

    /** As the compiler keeps names: with one underscore more where there are two. */
    function escaped(name: string): string {
      return ts.escapeLeadingUnderscores(name) as string;
    }

    function visit(node: TS.Node): TS.VisitResult<TS.Node> {
      if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return node;
      if (ts.isIdentifier(node)) return visitIdentifier(node);
      if (ts.isShorthandPropertyAssignment(node)) return visitShorthand(node);
      if (ts.isCallExpression(node)) return visitCall(node);
      if (ts.isTaggedTemplateExpression(node)) return visitTag(node);
      if (ts.isTypeOfExpression(node)) return visitTypeOf(node);
      if (ts.isBinaryExpression(node)) return visitAssignment(node);
      if (ts.isBindingElement(node)) return visitBinding(node);
      if (ts.isImportEqualsDeclaration(node)) return visitImportEquals(node);
      return ts.visitEachChild(node, visit, context);
    }

    function visitIdentifier(node: TS.Identifier): TS.Node {
      if (isName(node)) return isReserved(node.text) && isOwnName(node) ? renamed(node) : node;
      return reference(node, checker.getSymbolAtLocation(node)) ?? node;
    }

    /** The box a name is read from, or what else replaces it; undefined where it stays as it is. */
    function reference(node: TS.Identifier, symbol: TS.Symbol | undefined): TS.Expression | undefined {
      const { text } = node;
      if (symbol === undefined || checker.isUndefinedSymbol(symbol)) {
        return symbol === undefined && isUnresolved(node) ? box(node, 'v') : undefined;
      }
      if (symbol === local(text)) {
        if (names.ambient.has(text) || symbol.flags & ts.SymbolFlags.ConstEnum) return undefined;
        if (isOutliving(node, symbol)) return box(node, 'v');
        return isReserved(text) ? renamed(node) : undefined;
      }
      if (symbol !== earlier.locals?.get(escaped(text)) || !isValue(symbol)) {
        return globalsOfModules.has(text) && isGlobal(symbol) ? member(text.slice(2)) : undefined;
      }
      const isInlined = (symbol.flags & ts.SymbolFlags.ConstEnum) !== 0;
      return isInlined || ambient.has(text) ? undefined : box(node, 'v');
    }

    function box(node: TS.Identifier, member: 'v' | 'peek'): TS.Expression {
      boxes.add(node.text);
      const read = factory.createPropertyAccessExpression(boxName(node.text), member);
      ts.setSourceMapRange(read, node);
      return ts.setTextRange(read, node);
    }

    function visitShorthand(node: TS.ShorthandPropertyAssignment): TS.Node {
      const value =
        reference(node.name, checker.getShorthandAssignmentValueSymbol(node)) ??
        (isReserved(node.name.text) ? renamed(node.name) : undefined);
      const initial = node.objectAssignmentInitializer;
      if (value === undefined) return ts.visitEachChild(node, visit, context);
      const written =
        initial === undefined ? value : factory.createAssignment(value, visitExpression(initial));
      // `{ __proto__: x }` sets the prototype, `{ __proto__ }` and `{ ['__proto__']: x }` make a property
      const key =
        node.name.text === '__proto__'
          ? factory.createComputedPropertyName(factory.createStringLiteral('__proto__'))
          : factory.createIdentifier(node.name.text);
      return ts.setTextRange(factory.createPropertyAssignment(key, written), node);
    }

    /** `f()` of another cell is no method call: `this` stays undefined. */
    function visitCall(node: TS.CallExpression): TS.Node {
      const callee = plainCallee(node.expression);
      if (callee === undefined) return ts.visitEachChild(node, visit, context);
      const given = ts.visitNodes(node.arguments, visit, ts.isExpression);
      return ts.isCallChain(node)
        ? factory.updateCallChain(node, callee, node.questionDotToken, undefined, given)
        : factory.updateCallExpression(node, callee, undefined, given);
    }

    function visitTag(node: TS.TaggedTemplateExpression): TS.Node {
      const tag = plainCallee(node.tag);
      if (tag === undefined) return ts.visitEachChild(node, visit, context);
      const template = ts.visitNode(node.template, visit, ts.isTemplateLiteral);
      return factory.updateTaggedTemplateExpression(node, tag, undefined, template);
    }

    function plainCallee(expression: TS.Expression): TS.Expression | undefined {
      const callee = ts.skipOuterExpressions(expression);
      if (!ts.isIdentifier(callee)) return undefined;
      const value = reference(callee, checker.getSymbolAtLocation(callee));
      if (value === undefined || ts.isIdentifier(value)) return value;
      const plain = factory.createParenthesizedExpression(
        factory.createComma(factory.createNumericLiteral(0), value),
      );
      return ts.setTextRange(plain, callee);
    }

    /** `typeof x` of a name nobody declared is no error. */
    function visitTypeOf(node: TS.TypeOfExpression): TS.Node {
      const operand = ts.skipOuterExpressions(node.expression);
      if (!ts.isIdentifier(operand) || checker.getSymbolAtLocation(operand) !== undefined) {
        return ts.visitEachChild(node, visit, context);
      }
      return isUnresolved(operand)
        ? factory.updateTypeOfExpression(node, box(operand, 'peek') as TS.UnaryExpression)
        : node;
    }

    /** `f = () => {}` names the function after the variable, also where that is a box now. */
    function visitAssignment(node: TS.BinaryExpression): TS.Node {
      const visited = ts.visitEachChild(node, visit, context);
      const isAssignment = assignments.has(node.operatorToken.kind);
      if (!isAssignment || !ts.isIdentifier(node.left) || ts.isIdentifier(visited.left)) return visited;
      if (!isAnonymous(node.right)) return visited;
      const property = factory.createPropertyAssignment(node.left.text, visited.right);
      const named = factory.createPropertyAccessExpression(
        factory.createParenthesizedExpression(factory.createObjectLiteralExpression([property])),
        node.left.text,
      );
      return factory.updateBinaryExpression(visited, visited.left, visited.operatorToken, named);
    }

    /** `const { require } = x`: the property keeps its name where the variable is renamed. */
    function visitBinding(node: TS.BindingElement): TS.Node {
      const { name, propertyName, dotDotDotToken, initializer } = node;
      if (
        !ts.isIdentifier(name) ||
        propertyName ||
        dotDotDotToken ||
        !isReserved(name.text) ||
        !isOwnName(name)
      ) {
        return ts.visitEachChild(node, visit, context);
      }
      const isArray = ts.isArrayBindingPattern(node.parent);
      return factory.updateBindingElement(
        node,
        undefined,
        isArray ? undefined : factory.createIdentifier(name.text),
        renamed(name),
        initializer && visitExpression(initializer),
      );
    }

    /** `import x = require('y')`, which ES modules have no word for. */
    function visitImportEquals(node: TS.ImportEqualsDeclaration): TS.Node {
      const { moduleReference } = node;
      if (node.isTypeOnly || !ts.isExternalModuleReference(moduleReference)) return node;
      const required = factory.createCallExpression(member('require'), undefined, [
        moduleReference.expression,
      ]);
      const declaration = factory.createVariableDeclaration(node.name, undefined, undefined, required);
      return factory.createVariableStatement(
        undefined,
        factory.createVariableDeclarationList([declaration], ts.NodeFlags.Const),
      );
    }

    function visitExpression(node: TS.Expression): TS.Expression {
      return ts.visitNode(node, visit, ts.isExpression);
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
      return checker.getSymbolAtLocation(node) === local(node.text);
    }

    /** A name that the compiler knows nothing of: only where types are not checked. */
    function isUnresolved(node: TS.Identifier): boolean {
      return node.text !== 'arguments' && ts.isExpressionNode(node);
    }

    function isValue(symbol: TS.Symbol): boolean {
      if (!(symbol.flags & ts.SymbolFlags.Alias)) return (symbol.flags & ts.SymbolFlags.Value) !== 0;
      if (symbol.declarations?.some((declaration) => ts.isTypeOnlyImportOrExportDeclaration(declaration)))
        return false;
      const target = checker.getAliasedSymbol(symbol);
      // a module that cannot be found may have anything
      return (target.flags & ts.SymbolFlags.Value) !== 0 || target.escapedName === 'unknown';
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

    function isAnonymous(node: TS.Expression): boolean {
      const inner = ts.skipOuterExpressions(node);
      if (ts.isArrowFunction(inner)) return true;
      return (ts.isFunctionExpression(inner) || ts.isClassExpression(inner)) && inner.name === undefined;
    }

    function boxName(name: string): TS.Identifier {
      return factory.createIdentifier(BOX + name);
    }

    /** `require` and `exports` are parameters of the function that the cell becomes. */
    function isReserved(name: string): boolean {
      return (name === 'require' || name === 'exports') && locals.has(name);
    }

    function renamed(node: TS.Identifier): TS.Identifier {
      return ts.setTextRange(factory.createIdentifier(`${BOX}own_${node.text}`), node);
    }

    /** `const __cell_a = __tslab__.box("a"), …;` */
    function declareBoxes(): TS.Statement {
      const declarations = [...boxes].map((name) =>
        factory.createVariableDeclaration(
          boxName(name),
          undefined,
          undefined,
          callContext('box', [factory.createStringLiteral(name)]),
        ),
      );
      const list = factory.createVariableDeclarationList(declarations, ts.NodeFlags.Const);
      return factory.createVariableStatement(undefined, list);
    }

    /** `__tslab__.connect({ a: [() => a, (value) => { a = value; }], … })` */
    function connect(): TS.Expression {
      return callContext('connect', [factory.createObjectLiteralExpression(links)]);
    }

    function callContext(method: string, given: TS.Expression[]): TS.Expression {
      return factory.createCallExpression(member(method), undefined, given);
    }

    function member(name: string): TS.PropertyAccessExpression {
      return factory.createPropertyAccessExpression(factory.createIdentifier(CONTEXT), name);
    }

    function linkOf(name: string): TS.PropertyAssignment {
      const variable = (): TS.Identifier =>
        factory.createIdentifier(isReserved(name) ? `${BOX}own_${name}` : name);
      const value = factory.createParameterDeclaration(undefined, undefined, '__value');
      const arrow = (parameters: TS.ParameterDeclaration[], body: TS.ConciseBody): TS.Expression =>
        factory.createArrowFunction(undefined, undefined, parameters, undefined, undefined, body);
      const read = arrow([], variable());
      const assign = factory.createAssignment(variable(), factory.createIdentifier('__value'));
      const write = arrow([value], factory.createBlock([factory.createExpressionStatement(assign)]));
      const isImport = (local(name)!.flags & ts.SymbolFlags.Alias) !== 0;
      const key = factory.createComputedPropertyName(factory.createStringLiteral(name));
      return factory.createPropertyAssignment(
        key,
        factory.createArrayLiteralExpression(isImport ? [read] : [read, write]),
      );
    }
  };
}
