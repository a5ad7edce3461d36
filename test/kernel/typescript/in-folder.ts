import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Cell, CellDiagnostic, CellLanguage, Strictness } from '../../../src/kernel/cell-engine.js';
import { createLanguage } from '../../../src/kernel/typescript/language.js';
import { createNotebookFolder } from '../cells/run-sequences.js';

export interface LanguageInFolder {
  readonly language: CellLanguage;
  readonly folder: string;
  /** Converts a cell and commits it where it was not refused. @returns its diagnostics */
  run(code: string): readonly CellDiagnostic[];
  remove(): void;
}

/** The reading half in a folder of its own with the files that cells import. */
export function languageInFolder(strictness: Strictness = 'loose'): LanguageInFolder {
  const folder = createNotebookFolder();
  const language = createLanguage({
    folder,
    projectRoot: folder,
    strictness,
    globals: path.join(folder, 'globals.d.ts'),
  });
  let count = 0;
  return {
    language,
    folder,
    run(code) {
      const cell: Cell = { id: `cell ${++count}`, count, code };
      const { diagnostics, payload } = language.convert(cell);
      if (payload !== undefined) language.commit(cell.id, false);
      return diagnostics;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
