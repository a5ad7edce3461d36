import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

/** Name of a block's disposer in the code that is put out. */
const DISPOSER = '__cell_disposer';
const CONTEXT = '__tslab__';

/**
 * Carries out `using`: each block with one gets a disposer (`disposer.ts`), which ends with the block. That of the
 * cell itself is ended by the engine.
 * @param isUsing whether a list of declarations was one of `using`: true for `await using`, false for `using`
 */
export function disposeResources(
  ts: TypeScript,
  cell: TS.SourceFile,
  isUsing: (list: TS.VariableDeclarationList) => boolean | undefined,
): TS.TransformerFactory<TS.SourceFile> {
  return (context) => (file) => {
    if (file.fileName !== cell.fileName) return file;
    const { factory } = context;
    const statements = file.statements.map((statement) => ts.visitNode(statement, visit, ts.isStatement)!);
    const isNeeded = statements.some((statement) => kindOf(statement) !== undefined);
    return factory.updateSourceFile(file, [
      ...(isNeeded ? [declareDisposer(member(factory.createIdentifier(CONTEXT), 'disposer'))] : []),
      ...statements.map(taken),
    ]);

    function visit(node: TS.Node): TS.Node {
      const visited = ts.visitEachChild(node, visit, context);
      if (ts.isBlock(visited)) return visitBlock(visited);
      return ts.isForOfStatement(visited) ? visitLoop(visited) : visited;
    }

    function visitBlock(block: TS.Block): TS.Block {
      const kinds = block.statements.map(kindOf);
      if (kinds.every((kind) => kind === undefined)) return block;
      return factory.updateBlock(block, guarded(block.statements.map(taken), kinds.includes(true)));
    }

    /** `for (using x of xs) …`: each turn disposes its own. */
    function visitLoop(loop: TS.ForOfStatement): TS.ForOfStatement {
      const kind = ts.isVariableDeclarationList(loop.initializer) ? isUsing(loop.initializer) : undefined;
      const name =
        kind === undefined
          ? undefined
          : (loop.initializer as TS.VariableDeclarationList).declarations[0]?.name;
      if (kind === undefined || name === undefined || !ts.isIdentifier(name)) return loop;
      const take = factory.createExpressionStatement(use(factory.createIdentifier(name.text), kind));
      return factory.updateForOfStatement(
        loop,
        loop.awaitModifier,
        loop.initializer,
        loop.expression,
        factory.createBlock(guarded([take, loop.statement], kind)),
      );
    }

    function kindOf(statement: TS.Statement): boolean | undefined {
      return ts.isVariableStatement(statement) ? isUsing(statement.declarationList) : undefined;
    }

    /** `const x = __cell_disposer.use(value)` */
    function taken(statement: TS.Statement): TS.Statement {
      const kind = kindOf(statement);
      if (kind === undefined || !ts.isVariableStatement(statement)) return statement;
      const { declarationList } = statement;
      const declarations = declarationList.declarations.map((declaration) =>
        factory.updateVariableDeclaration(
          declaration,
          declaration.name,
          undefined,
          declaration.type,
          declaration.initializer && use(declaration.initializer, kind),
        ),
      );
      const list = factory.updateVariableDeclarationList(declarationList, declarations);
      return factory.updateVariableStatement(statement, statement.modifiers, list);
    }

    /** The statements of a block in `try`, whatever they throw handed to the disposer. */
    function guarded(statements: readonly TS.Statement[], isAsync: boolean): TS.Statement[] {
      const created = factory.createCallExpression(
        member(factory.createIdentifier(CONTEXT), 'newDisposer'),
        undefined,
        [],
      );
      const error = factory.createIdentifier('__error');
      const end = call(isAsync ? 'endAsync' : 'end', []);
      return [
        declareDisposer(created),
        factory.createTryStatement(
          factory.createBlock(statements),
          factory.createCatchClause(
            factory.createVariableDeclaration('__error'),
            factory.createBlock([factory.createExpressionStatement(call('fail', [error]))]),
          ),
          factory.createBlock([
            factory.createExpressionStatement(isAsync ? factory.createAwaitExpression(end) : end),
          ]),
        ),
      ];
    }

    function use(value: TS.Expression, isAsync: boolean): TS.Expression {
      return call('use', [value, ...(isAsync ? [factory.createTrue()] : [])]);
    }

    function call(method: string, given: readonly TS.Expression[]): TS.Expression {
      const callee = member(factory.createIdentifier(DISPOSER), method);
      return factory.createCallExpression(callee, undefined, given);
    }

    function declareDisposer(value: TS.Expression): TS.Statement {
      const declaration = factory.createVariableDeclaration(DISPOSER, undefined, undefined, value);
      const list = factory.createVariableDeclarationList([declaration], ts.NodeFlags.Const);
      return factory.createVariableStatement(undefined, list);
    }

    function member(object: TS.Expression, name: string): TS.Expression {
      return factory.createPropertyAccessExpression(object, name);
    }
  };
}
