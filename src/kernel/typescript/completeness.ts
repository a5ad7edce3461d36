import type TS from 'typescript';
import type { Completeness } from '../cell-engine.js';
import { ts } from './typescript.js';

const INDENT = '  ';

/** Unterminated template, comment, regular expression in the making: more text may end them. */
const open = new Set([1160, 1010]);

const UNTERMINATED_STRING = 1002;

/** Whether a console should run the code or ask for another line. */
export function completenessOf(code: string): Completeness {
  const file = ts.createSourceFile('cell.ts', code, ts.ScriptTarget.Latest, false);
  const errors = syntaxErrors(file);
  if (errors.length === 0) return { status: 'complete' };
  // `import` may go on in so many ways that the first one is worth telling
  if (/(^|[\n;])\s*import\s*$/.test(code)) return { status: 'invalid' };
  const end = code.trimEnd().length;
  const isString = errors.some(({ code: number }) => number === UNTERMINATED_STRING);
  const isOpen = isString
    ? /\\\n?$/.test(code) // the string goes on in the next line
    : errors.every(({ start, code: number }) => open.has(number) || start >= endOfCode(file, end));
  return isOpen ? { status: 'incomplete', indent: indentAfter(code) } : { status: 'invalid' };
}

/** What the parser found; the property is not part of TypeScript's public types. */
export const syntaxErrors = (file: TS.SourceFile): readonly TS.DiagnosticWithLocation[] =>
  (file as TS.SourceFile & { readonly parseDiagnostics: readonly TS.DiagnosticWithLocation[] })
    .parseDiagnostics;

/** End of the last token, comments behind it left out. */
function endOfCode(file: TS.SourceFile, end: number): number {
  const { endOfFileToken } = file;
  return Math.min(end, endOfFileToken.pos);
}

function indentAfter(code: string): string {
  const line = code.trimEnd().split('\n').at(-1) ?? '';
  const indent = /^\s*/.exec(line)![0];
  return /[{([=]$|=>$/.test(line) ? indent + INDENT : indent;
}
