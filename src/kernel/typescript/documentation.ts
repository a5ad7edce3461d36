import type TS from 'typescript';
import { ts } from './typescript.js';

/** The documentation comment before a declaration, without its stars; empty where there is none. */
export function documentationOf(declaration: TS.Node): string {
  const node = statementOf(declaration);
  const { text } = node.getSourceFile();
  const comments = ts.getLeadingCommentRanges(text, node.pos) ?? [];
  const last = comments.filter(({ pos }) => text.startsWith('/**', pos)).at(-1);
  return last ? withoutStars(text.slice(last.pos, last.end)) : '';
}

/** The comment of `const x = 1` stands before `const`. */
function statementOf(node: TS.Node): TS.Node {
  if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(node.parent)) {
    return ts.isVariableStatement(node.parent.parent) ? node.parent.parent : node;
  }
  return node;
}

const withoutStars = (comment: string): string =>
  comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
