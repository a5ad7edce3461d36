import type * as TS from '@tslab/typescript-for-tslab';
import type { Completeness } from '../cell-engine.js';
import type { TypeScript } from './package.js';

/** Unterminated template and comment: more text ends them. */
const open = new Set([1160, 1010]);

/** Whether a front end that asks line by line should run the code or let the user type on. */
export function completenessOf(ts: TypeScript, code: string): Completeness {
  const file = ts.createSourceFile('cell.tsx', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
  const { parseDiagnostics } = file as TS.SourceFile & {
    readonly parseDiagnostics: readonly TS.DiagnosticWithLocation[];
  };
  if (parseDiagnostics.length === 0) return { status: 'complete' };
  // comments after the last token do not count
  const end = Math.min(code.trimEnd().length, file.endOfFileToken.pos);
  const isOpen = parseDiagnostics.every(({ code: number, start }) => open.has(number) || start >= end);
  return isOpen ? { status: 'incomplete', indent: indentAfter(code) } : { status: 'invalid' };
}

function indentAfter(code: string): string {
  const line = code.trimEnd().split('\n').at(-1) ?? '';
  const indent = /^\s*/.exec(line)![0];
  return /[{([=]$|=>$/.test(line) ? `${indent}  ` : indent;
}
