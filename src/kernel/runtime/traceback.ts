import type { CellDiagnostic, CellEngine, OriginalPosition } from '../cell-engine.js';
import { isError, readThrown, shown } from './thrown.js';

/** An error as `execute_reply` and the `error` message carry it. */
export interface ErrorReport {
  readonly ename: string;
  readonly evalue: string;
  /** Lines for the front end, coloured by ANSI codes. */
  readonly traceback: readonly string[];
}

export type Locate = CellEngine['originalPosition'];

/** Frames of Node, of tslab and of this kernel say nothing about the user's code. */
const INTERNAL =
  /\b(node:|evalmachine|__tslab__|native\b)|[\\/](tslab|esbuild)[\\/]|[\\/]dist[\\/]kernel[\\/]/;

/** Where the frames of this package begin; a project may have a copy of its own. */
const LIBRARY = new URL('../../', import.meta.url).href;
const isLibraryFrame = (text: string): boolean =>
  text.includes(LIBRARY) || /[\\/]node_modules[\\/]gondwana[\\/]/.test(text);

/** Frames shown; the rest is counted. */
const FRAMES = 12;
/** Lines of code shown before and after the place. */
const AROUND = 2;
const CAUSES = 5;

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
// bold without a colour: red is hard to read on the dark red that JupyterLab puts behind errors
const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;
const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;

/**
 * What a cell threw, with the lines it was thrown from; positions are those of the source as it was typed. Never
 * throws: what cells throw may be anything, and they may have replaced what this is made with.
 */
export function reportThrown(error: unknown, locate: Locate): ErrorReport {
  try {
    return richReport(error, locate);
  } catch {
    const evalue = plainText(error);
    return { ename: 'Error', evalue, traceback: [evalue, BROKEN] };
  }
}

const BROKEN =
  'It cannot be told in more detail: a cell may have changed what JavaScript itself is made of. Restart the kernel.';

/** With nothing that a cell can have replaced. */
function plainText(error: unknown): string {
  try {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  } catch {
    return 'an error that cannot be read';
  }
}

function richReport(error: unknown, locate: Locate): ErrorReport {
  if (!isError(error)) {
    const evalue = shown(error, 4);
    return { ename: 'Thrown', evalue, traceback: [`${bold('Thrown')}: ${evalue}`] };
  }
  const { name, message } = readThrown(error);
  const lines = describe(error, locate, 0, new Set()).flatMap((block) => block.split('\n'));
  return { ename: name, evalue: message, traceback: clippedLines(lines) };
}

/** Lines of a traceback; a message may have any number. */
const LINES = 500;

const clippedLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= LINES
    ? lines
    : [...lines.slice(0, LINES / 2), dim(`… ${lines.length - LINES} lines more`), ...lines.slice(-LINES / 2)];

/** What the compiler refuses in a cell. */
export function reportRefused(
  diagnostics: readonly CellDiagnostic[],
  cell: { readonly count: number; readonly code: string },
): ErrorReport {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const first = errors[0] ?? diagnostics[0];
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    ename: first && first.code >= 2000 ? 'TypeError' : 'SyntaxError',
    evalue: first
      ? `${first.message.split('\n')[0]} (${placeOf(first, cell)}, TS${first.code})${others}`
      : '',
    traceback: errors.flatMap((diagnostic) => describeDiagnostic(diagnostic, cell)),
  };
}

/** Warnings of the compiler as text for the error stream. */
export const describeWarnings = (
  diagnostics: readonly CellDiagnostic[],
  cell: { readonly count: number; readonly code: string },
): string => diagnostics.flatMap((diagnostic) => describeDiagnostic(diagnostic, cell)).join('\n');

function describeDiagnostic(
  diagnostic: CellDiagnostic,
  cell: { readonly count: number; readonly code: string },
): string[] {
  const { message, code, line, column, hint } = diagnostic;
  const head = `${bold(`TS${code}`)}: ${message}`;
  const place = dim(placeOf(diagnostic, cell));
  const lines = diagnostic.file ? [] : codeFrame(cell.code, line, column);
  return [...head.split('\n'), ...(hint === undefined ? [] : [`  to do: ${hint}`]), place, ...lines];
}

const placeOf = ({ file, line, column }: CellDiagnostic, { count }: { readonly count: number }): string =>
  `${file ?? `Cell [${count}]`}, line ${line}, column ${column}`;

export const reportInterrupt = (): ErrorReport => ({
  ename: 'KeyboardInterrupt',
  evalue: 'The cell was interrupted.',
  traceback: [`${bold('KeyboardInterrupt')}: The cell was interrupted.`],
});

function describe(error: Error, locate: Locate, depth: number, seen: Set<unknown>): string[] {
  seen.add(error);
  const { name, errorName, message, told, fields, stack, parts, cause } = readThrown(error);
  const blocks = [`${bold(name)}: ${message}`];
  if (told?.where) blocks.push(`  where: ${told.where}`);
  if (told?.hint) blocks.push(`  to do: ${told.hint}`);
  if (fields) blocks.push(dim(fields));
  // what is wrong with the input is said already; how the library found out is no news
  const isTold = told !== undefined && errorName !== 'RunError';
  const frames = framesOf(stack, locate).filter(({ text }) => !isTold || !isLibraryFrame(text));
  const first = frames.find(({ original }) => original?.text !== undefined);
  if (first?.original?.text !== undefined) {
    const { source, line, column, text } = first.original;
    blocks.push(dim(`${source}, line ${line}, column ${column}`), ...codeFrame(text, line, column));
  }
  const listed = frames.slice(0, FRAMES).map(({ text }) => dim(text));
  if (frames.length > FRAMES) listed.push(dim(`    … ${frames.length - FRAMES} more`));
  blocks.push(...listed);

  for (const [index, part] of parts.slice(0, CAUSES).entries()) {
    if (seen.has(part) || depth >= CAUSES) continue;
    const lines = isError(part) ? describe(part, locate, depth + 1, seen).join('\n') : shown(part);
    blocks.push(`[${index}] ${lines}`);
  }
  if (cause !== undefined && !seen.has(cause) && depth < CAUSES) {
    const lines = isError(cause) ? describe(cause, locate, depth + 1, seen).join('\n') : shown(cause);
    blocks.push(`Caused by ${lines}`);
  }
  return blocks;
}

interface Frame {
  readonly text: string;
  readonly original?: OriginalPosition;
}

const FRAME = /^(\s*at (?:(.*?) \()?)((?:file:\/\/)?[^()]*?):(\d+):(\d+)\)?$/;

/** The frames of user code and of packages, mapped to the source they came from. */
function framesOf(stack: string, locate: Locate): Frame[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .flatMap((line): Frame[] => {
      const match = FRAME.exec(line);
      if (!match) return INTERNAL.test(line) || line.includes('<anonymous>') ? [] : [{ text: line }];
      const [, , name, file = '', row, column] = match;
      const original = locate(file, Number(row), Number(column));
      if (!original) return INTERNAL.test(line) ? [] : [{ text: line }];
      const place = `${original.source}:${original.line}:${original.column}`;
      const shown =
        name && !/^(Object\.<anonymous>|(async )?(eval|__cell))/.test(name) ? `${name} (${place})` : place;
      return [{ text: `    at ${shown}`, original }];
    });
}

/** Lines around a place; the line itself has an arrow, the column a caret. Both count from 1. */
export function codeFrame(text: string, line: number, column: number): string[] {
  const lines = text.split(/\r?\n/);
  if (line < 1 || line > lines.length) return [];
  const from = Math.max(1, line - AROUND);
  const to = Math.min(lines.length, line + AROUND);
  const width = String(to).length;
  const frame: string[] = [];
  for (let at = from; at <= to; at++) {
    const isPlace = at === line;
    const source = clip(lines[at - 1]!, isPlace ? column : 1);
    const row = `${isPlace ? '→' : ' '} ${String(at).padStart(width)} | ${source.text}`;
    frame.push(isPlace ? row : dim(row));
    if (isPlace) frame.push(red(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, source.column - 1))}^`));
  }
  return frame;
}

const LINE_WIDTH = 160;

/** A window of a very long line around the column. */
function clip(line: string, column: number): { text: string; column: number } {
  if (line.length <= LINE_WIDTH) return { text: line, column };
  const from = Math.max(0, Math.min(column - LINE_WIDTH / 2, line.length - LINE_WIDTH));
  return { text: line.slice(from, from + LINE_WIDTH), column: column - from };
}
