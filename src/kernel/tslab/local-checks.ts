import type * as TS from '@tslab/typescript-for-tslab';
import { stampOf } from '../modules/stamp.js';
import type { CellFile } from './cell-symbols.js';
import type { TypeScript } from './package.js';

/** Files checked for one cell; a cell that imports more is no place to be told about each. */
const MAXIMUM_FILES = 10;

/** Type errors of the local files that a cell imports, each version of a file once. */
export class LocalChecks {
  readonly #ts: TypeScript;
  readonly #checked = new Map<string, string>();

  constructor(ts: TypeScript) {
    this.#ts = ts;
  }

  check(program: TS.Program | undefined, cell: CellFile | undefined): readonly TS.Diagnostic[] {
    if (program === undefined || cell === undefined) return [];
    const files = importedFiles(cell).flatMap((name) => program.getSourceFile(name) ?? []);
    return files
      .filter((file) => this.#isNew(file))
      .slice(0, MAXIMUM_FILES)
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .filter(({ category }) => category === this.#ts.DiagnosticCategory.Error);
  }

  #isNew(file: TS.SourceFile): boolean {
    const { fileName } = file;
    if (file.isDeclarationFile || fileName.includes('/node_modules/') || !/\.[cm]?tsx?$/.test(fileName))
      return false;
    const stamp = stampOf(fileName);
    if (this.#checked.get(fileName) === stamp) return false;
    this.#checked.set(fileName, stamp);
    return true;
  }
}

interface Resolutions {
  readonly resolvedModules?: {
    forEach(
      visit: (resolution: { readonly resolvedModule?: TS.ResolvedModuleFull } | undefined) => void,
    ): void;
  };
}

function importedFiles(cell: CellFile): string[] {
  const files: string[] = [];
  (cell as Resolutions).resolvedModules?.forEach((resolution) => {
    // TypeScript 5.0 keeps the module itself, later ones wrap it
    const module = resolution?.resolvedModule ?? (resolution as TS.ResolvedModuleFull | undefined);
    if (module?.resolvedFileName !== undefined) files.push(module.resolvedFileName);
  });
  return files;
}
