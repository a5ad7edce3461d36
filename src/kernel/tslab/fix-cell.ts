import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

/**
 * A cell without what tslab and its compiler refuse: `export`, as tslab exports every name itself, and the attributes
 * of imports. What is taken out becomes spaces, so every place in the cell stays where it is.
 */
export function fixCell(ts: TypeScript, code: string): string {
  if (!/\bexport\b|\bwith\b/.test(code)) return code;
  const file = ts.createSourceFile('cell.tsx', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  let fixed = code;
  const blank = (start: number, end: number, kept = ''): void => {
    const gone = code.slice(start, end).replace(/[^\n\r]/g, ' ');
    fixed = fixed.slice(0, start) + kept + gone.slice(kept.length) + fixed.slice(end);
  };
  for (const statement of file.statements) {
    const start = statement.getStart(file);
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      const attributes = /^\s*with\s*\{[^{}]*\}/.exec(code.slice(statement.end));
      if (attributes) blank(statement.end, statement.end + attributes[0].length);
    }
    if (ts.isExportDeclaration(statement)) {
      const { moduleSpecifier, exportClause } = statement;
      // `export … from 'x'` runs the module: as `import` it does so too, and names what it takes
      // an empty block: like `export {}` it is no expression, so the cell has no value
      if (moduleSpecifier === undefined) blank(start, statement.end, '{}');
      else if (exportClause && ts.isNamedExports(exportClause))
        blank(start, start + 'export'.length, 'import');
      else blank(start, moduleSpecifier.getStart(file), 'import');
      continue;
    }
    if (ts.isExportAssignment(statement)) {
      // `{ a: 1 }` would be a block without anything before it
      blank(start, statement.expression.getStart(file), NOTHING);
      continue;
    }
    const modifiers = exportModifiers(ts, statement);
    const isNamed = (statement as { name?: TS.Node }).name !== undefined || ts.isVariableStatement(statement);
    if (modifiers.length === 0) continue;
    blank(modifiers[0]!.getStart(file), modifiers.at(-1)!.end, isNamed ? '' : NOTHING);
  }
  return fixed;
}

/** Makes an expression of what follows; no longer than `export default`. */
const NOTHING = 'void 0,';

function exportModifiers(ts: TypeScript, statement: TS.Statement): readonly TS.Modifier[] {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.filter(
    ({ kind }) => kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword,
  );
}

/** True where the only waiting of a cell is `for await`, which tslab does not look for. */
export function hasForAwait(ts: TypeScript, file: TS.SourceFile): boolean {
  const visit = (node: TS.Node): boolean => {
    if (ts.isFunctionLike(node)) return false;
    if (ts.isForOfStatement(node) && node.awaitModifier) return true;
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(file);
}
