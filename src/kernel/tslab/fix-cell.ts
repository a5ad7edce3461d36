import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

export interface FixedCell {
  /** As long as the cell, line by line: every place in it stays where it is. */
  readonly code: string;
  /** Where `const` now stands for `using`, by offset in the code; true for `await using`. */
  readonly disposals: ReadonlyMap<number, boolean>;
}

/**
 * A cell without what tslab and its compiler refuse: `export`, as tslab exports every name itself, the attributes of
 * imports, and `using`, which is carried out by `dispose-resources.ts`.
 */
export function fixCell(ts: TypeScript, code: string): FixedCell {
  const disposals = new Map<number, boolean>();
  if (!/\b(?:export|with|using)\b/.test(code)) return { code, disposals };
  const file = ts.createSourceFile('cell.tsx', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  let fixed = code;
  const blank = (start: number, end: number, kept = ''): void => {
    const gone = code.slice(start, end).replace(/[^\n\r]/g, ' ');
    fixed = fixed.slice(0, start) + kept + gone.slice(kept.length) + fixed.slice(end);
  };
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      const attributes = /^\s*with\s*\{[^{}]*\}/.exec(code.slice(statement.end));
      if (attributes) blank(statement.end, statement.end + attributes[0].length);
    }
    removeExport(ts, statement, file, blank);
  }
  const visit = (node: TS.Node): void => {
    const declaration = usingOf(ts, node, file);
    if (declaration) {
      const { start, end, isAsync } = declaration;
      blank(start, end - KEYWORD.length);
      blank(end - KEYWORD.length, end, KEYWORD);
      disposals.set(end - KEYWORD.length, isAsync);
    }
    ts.forEachChild(node, visit);
  };
  if (/\busing\b/.test(code)) visit(file);
  return { code: fixed, disposals };
}

type Blank = (start: number, end: number, kept?: string) => void;

/** Makes an expression of what follows; no longer than `export default`. */
const NOTHING = 'void 0,';

function removeExport(ts: TypeScript, statement: TS.Statement, file: TS.SourceFile, blank: Blank): void {
  const start = statement.getStart(file);
  if (ts.isExportDeclaration(statement)) {
    const { moduleSpecifier, exportClause } = statement;
    // an empty block: like `export {}` it is no expression, so the cell has no value
    if (moduleSpecifier === undefined) blank(start, statement.end, '{}');
    // `export … from 'x'` runs the module: as `import` it does so too, and names what it takes
    else if (exportClause) blank(start, start + 'export'.length, 'import');
    else blank(start, moduleSpecifier.getStart(file), 'import');
    return;
  }
  if (ts.isExportAssignment(statement)) {
    // `{ a: 1 }` would be a block without anything before it
    return blank(start, statement.expression.getStart(file), NOTHING);
  }
  const modifiers = (ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []).filter(
    ({ kind }) => kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword,
  );
  if (modifiers.length === 0) return;
  const isNamed = (statement as { name?: TS.Node }).name !== undefined || ts.isVariableStatement(statement);
  blank(modifiers[0]!.getStart(file), modifiers.at(-1)!.end, isNamed ? '' : NOTHING);
}

/** As long as `using`. */
const KEYWORD = 'const';

/** `using x` and `await using x`, which this parser takes for names that something is missing between. */
function usingOf(
  ts: TypeScript,
  node: TS.Node,
  file: TS.SourceFile,
): { readonly start: number; readonly end: number; readonly isAsync: boolean } | undefined {
  if (!ts.isIdentifier(node) || node.text !== 'using') return undefined;
  const isFollowedByName = /^[ \t]+(?!(?:in|of|instanceof|as|satisfies)\b)[\p{ID_Start}_$]/u;
  if (!isFollowedByName.test(file.text.slice(node.end))) return undefined;
  const isAsync = ts.isAwaitExpression(node.parent);
  return { start: (isAsync ? node.parent : node).getStart(file), end: node.end, isAsync };
}

/**
 * True where a cell waits outside functions. tslab looks for one complaint of its compiler, which comes neither for
 * `for await` nor for an `await` before a parenthesis, a bracket, a sign or a template.
 */
export function hasTopLevelAwait(ts: TypeScript, file: TS.SourceFile): boolean {
  const visit = (node: TS.Node): boolean => {
    if (ts.isFunctionLike(node)) return false;
    if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)) return true;
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(file);
}
