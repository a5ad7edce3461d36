import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';
import type { CellImport } from './payload.js';

/** Global through which the code of cells reaches its engine. */
const CONTEXT = '__tslab__';

export interface CommonJs {
  readonly output: TS.TranspileOutput;
  /** Source map as JSON. */
  readonly map: string;
  readonly imports: readonly CellImport[];
}

/** A converted cell, still with its imports, as the function body it runs as: `import()` and `import.meta` become ours. */
export function toCommonJs(ts: TypeScript, code: string, options: TS.TranspileOptions): CommonJs {
  const imports: CellImport[] = [];
  const before: TS.TransformerFactory<TS.SourceFile> = (context) => (file) => {
    for (const statement of file.statements) {
      if (ts.isImportDeclaration(statement)) imports.push(importOf(ts, statement));
    }
    const { factory } = context;
    const member = (name: string): TS.Expression =>
      factory.createPropertyAccessExpression(factory.createIdentifier(CONTEXT), name);
    const visit = (node: TS.Node): TS.Node => {
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
        const given = ts.visitNodes(node.arguments, visit, ts.isExpression);
        return factory.updateCallExpression(node, member('import'), undefined, given);
      }
      if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) return member('meta');
      return ts.visitEachChild(node, visit, context);
    };
    return ts.visitEachChild(file, visit, context);
  };
  const result = ts.transpileModule(code, {
    ...options,
    compilerOptions: { ...options.compilerOptions, sourceMap: true },
    transformers: { before: [before] },
  });
  const output = { ...result, outputText: withoutMapComment(result.outputText) };
  return { output, map: result.sourceMapText ?? '', imports };
}

function importOf(ts: TypeScript, { importClause, moduleSpecifier }: TS.ImportDeclaration): CellImport {
  const bindings = importClause?.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return {
    specifier: (moduleSpecifier as TS.StringLiteral).text,
    names: [
      ...(importClause?.name ? ['default'] : []),
      ...named.map(({ name, propertyName }) => (propertyName ?? name).text),
    ],
  };
}

export const withoutMapComment = (code: string): string =>
  code.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
