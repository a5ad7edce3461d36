import type * as TS from '@tslab/typescript-for-tslab';
import { createSymbols, type CellContext, type Meaning } from './cell-symbols.js';
import type { TypeScript } from './package.js';

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

/**
 * Makes a cell share its variables. Every name has a box (`boxes.ts`) that all cells know; the cell that declares the
 * name connects the box with its variable, and all others, and functions that may outlive a new declaration, go
 * through the box: so closures see what later cells assign and declare. Code at the top level uses the variable
 * itself, at full speed.
 *
 * tslab would replace names by the symbol of their place, which goes wrong for shorthand, patterns and property
 * names; after this there is nothing left for it to replace.
 */
export function rewriteNames(
  ts: TypeScript,
  context: CellContext,
  names: CellNames,
): TS.TransformerFactory<TS.SourceFile> {
  return (transformation) => (file) => {
    const { checker, cell } = context;
    if (file !== cell) return file;
    const { factory } = transformation;
    const { declaredNames, meaningOf, isName, isOwnName, isTypesOnly, isReserved, isImport } = createSymbols(
      ts,
      context,
    );
    const boxes = new Set<string>();
    const assignments = new Set([
      ts.SyntaxKind.EqualsToken,
      ts.SyntaxKind.QuestionQuestionEqualsToken,
      ts.SyntaxKind.BarBarEqualsToken,
      ts.SyntaxKind.AmpersandAmpersandEqualsToken,
    ]);

    const { declared, ambient } = declaredNames();
    for (const name of declared) names.declared.add(name);
    for (const name of ambient) names.ambient.add(name);

    const imports: TS.Statement[] = [];
    const statements: TS.Statement[] = [];
    for (const statement of cell.statements) {
      // tslab's own list of all names; and what leaves no trace must not hide the last expression
      if (ts.isExportDeclaration(statement) || isTypesOnly(statement)) continue;
      const visited = ts.visitNode(statement, visit, ts.isStatement);
      if (visited) (ts.isImportDeclaration(statement) ? imports : statements).push(visited);
    }
    const head: TS.Statement[] = [];
    if (boxes.size > 0) head.push(declareBoxes());
    if (declared.length > 0) head.push(factory.createBlock([factory.createExpressionStatement(connect())]));
    return factory.updateSourceFile(cell, [...head, ...imports, ...statements]);

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
      if (ts.isCatchClause(node)) return visitCatch(node);
      return ts.visitEachChild(node, visit, transformation);
    }

    function visitIdentifier(node: TS.Identifier): TS.Node {
      if (isName(node)) return isReserved(node.text) && isOwnName(node) ? renamed(node) : node;
      return reference(node, meaningOf(node)) ?? node;
    }

    /** The box a name is read from, or what else replaces it; undefined where it stays as it is. */
    function reference(node: TS.Identifier, meaning: Meaning): TS.Expression | undefined {
      switch (meaning.kind) {
        case 'own':
          if (meaning.isOutliving) return box(node, 'v');
          return isReserved(node.text) ? renamed(node) : undefined;
        case 'earlier':
        case 'unresolved':
          return box(node, 'v');
        case 'module':
          return member(node.text.slice(2));
        case 'other':
          return undefined;
      }
    }

    function box(node: TS.Identifier, member: 'v' | 'peek'): TS.Expression {
      boxes.add(node.text);
      const read = factory.createPropertyAccessExpression(boxName(node.text), member);
      ts.setSourceMapRange(read, node);
      return ts.setTextRange(read, node);
    }

    function visitShorthand(node: TS.ShorthandPropertyAssignment): TS.Node {
      const symbol = checker.getShorthandAssignmentValueSymbol(node);
      const value = symbol ? reference(node.name, meaningOf(node.name, symbol)) : box(node.name, 'v');
      const initial = node.objectAssignmentInitializer;
      if (value === undefined) return ts.visitEachChild(node, visit, transformation);
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
      if (callee === undefined) return ts.visitEachChild(node, visit, transformation);
      const given = ts.visitNodes(node.arguments, visit, ts.isExpression);
      return ts.isCallChain(node)
        ? factory.updateCallChain(node, callee, node.questionDotToken, undefined, given)
        : factory.updateCallExpression(node, callee, undefined, given);
    }

    function visitTag(node: TS.TaggedTemplateExpression): TS.Node {
      const tag = plainCallee(node.tag);
      if (tag === undefined) return ts.visitEachChild(node, visit, transformation);
      const template = ts.visitNode(node.template, visit, ts.isTemplateLiteral);
      return factory.updateTaggedTemplateExpression(node, tag, undefined, template);
    }

    function plainCallee(expression: TS.Expression): TS.Expression | undefined {
      const callee = ts.skipOuterExpressions(expression);
      if (!ts.isIdentifier(callee)) return undefined;
      const value = reference(callee, meaningOf(callee));
      if (value === undefined || ts.isIdentifier(value)) return value;
      const plain = factory.createParenthesizedExpression(
        factory.createComma(factory.createNumericLiteral(0), value),
      );
      return ts.setTextRange(plain, callee);
    }

    /** `typeof x` of a name nobody declared is no error. */
    function visitTypeOf(node: TS.TypeOfExpression): TS.Node {
      const operand = ts.skipOuterExpressions(node.expression);
      return ts.isIdentifier(operand) && meaningOf(operand).kind === 'unresolved'
        ? factory.updateTypeOfExpression(node, box(operand, 'peek') as TS.UnaryExpression)
        : ts.visitEachChild(node, visit, transformation);
    }

    /** `f = () => {}` names the function after the variable, also where that is a box now. */
    function visitAssignment(node: TS.BinaryExpression): TS.Node {
      const visited = ts.visitEachChild(node, visit, transformation);
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
        return ts.visitEachChild(node, visit, transformation);
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

    /** A caught error quotes the names that the user wrote, not boxes. */
    function visitCatch(node: TS.CatchClause): TS.Node {
      const visited = ts.visitEachChild(node, visit, transformation);
      const { variableDeclaration, block } = visited;
      if (variableDeclaration === undefined || !ts.isIdentifier(variableDeclaration.name)) return visited;
      const caught = factory.createIdentifier(variableDeclaration.name.text);
      const restore = factory.createExpressionStatement(callContext('restore', [caught]));
      return factory.updateCatchClause(
        visited,
        variableDeclaration,
        factory.updateBlock(block, [restore, ...block.statements]),
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

    function isAnonymous(node: TS.Expression): boolean {
      const inner = ts.skipOuterExpressions(node);
      if (ts.isArrowFunction(inner)) return true;
      return (ts.isFunctionExpression(inner) || ts.isClassExpression(inner)) && inner.name === undefined;
    }

    function boxName(name: string): TS.Identifier {
      return factory.createIdentifier(BOX + name);
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
      return callContext('connect', [factory.createObjectLiteralExpression(declared.map(linkOf))]);
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
      const key = factory.createComputedPropertyName(factory.createStringLiteral(name));
      return factory.createPropertyAssignment(
        key,
        factory.createArrayLiteralExpression(isImport(name) ? [read] : [read, write]),
      );
    }
  };
}
