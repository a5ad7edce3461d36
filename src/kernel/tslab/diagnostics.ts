import type * as TS from '@tslab/typescript-for-tslab';
import path from 'node:path';
import type { CellDiagnostic, Strictness } from '../cell-engine.js';
import type { TypeScript } from './package.js';

/** Lines that tslab puts before a cell. */
export const LINES_BEFORE = 1;

/** A module that TypeScript does not find, or finds no types for. */
export const MODULE_NOT_FOUND = 2307;

/** What tslab takes for the sign of an `await` at the top level. */
export const TOP_LEVEL_AWAIT = 1308;
/** `import x = require('y')` is translated here, whatever the module format. */
const IMPORT_EQUALS = 1202;

/**
 * What keeps a cell from being converted, and the complaints that tslab takes for `await` at the top level.
 * @param files the cell, and no other
 */
export function fatalDiagnostics(
  ts: TypeScript,
  program: TS.Program,
  files: readonly TS.SourceFile[],
  strictness: Strictness,
): readonly TS.Diagnostic[] {
  const found = ts.getPreEmitDiagnosticsOfFiles(program, files);
  // complaints about the `.d.ts` of a cell, which the user never wrote
  const aboutDeclarations = new Set<TS.Diagnostic>(
    files.flatMap((file) => program.getDeclarationDiagnostics(file)),
  );
  const syntax = new Set<TS.Diagnostic>(files.flatMap((file) => program.getSyntacticDiagnostics(file)));
  return found.filter((diagnostic) => {
    const { file, code } = diagnostic;
    if (file === undefined || code === IMPORT_EQUALS || aboutDeclarations.has(diagnostic)) return false;
    return strictness !== 'off' || syntax.has(diagnostic) || code === TOP_LEVEL_AWAIT;
  });
}

/** @param code the cell, where the diagnostic is about it */
export function cellDiagnostic(
  ts: TypeScript,
  diagnostic: TS.Diagnostic,
  severity: CellDiagnostic['severity'],
  cell: { readonly file: string; readonly code: string; readonly folder: string },
): CellDiagnostic {
  const { file, start = 0, code } = diagnostic;
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
  const place = file ? ts.getLineAndCharacterOfPosition(file, start) : { line: 0, character: 0 };
  if (file && file.fileName !== cell.file) {
    return {
      severity,
      code,
      message,
      file: path.normalize(file.fileName),
      line: place.line + 1,
      column: place.character + 1,
    };
  }
  // tslab lists all names below the cell: what it says there is said of the cell's end
  const lines = cell.code.split('\n');
  const line = Math.min(place.line - LINES_BEFORE + 1, lines.length);
  const isBelow = place.line - LINES_BEFORE + 1 > lines.length;
  return {
    severity,
    code,
    message,
    line: Math.max(1, line),
    column: isBelow ? lines.at(-1)!.length + 1 : place.character + 1,
  };
}

/** The specifier in TypeScript's message about a missing module. */
export const missingModule = (message: string): string => /'([^']+)'/.exec(message)?.[1] ?? '';
