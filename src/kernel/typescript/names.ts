import type { CellDiagnostic } from '../cell-engine.js';
import type { CellDeclarations, NameKind } from './declarations.js';

/** A cell that ran, as later cells see it: a module that exports all it declares. */
export interface CommittedCell {
  readonly number: number;
  readonly declarations: CellDeclarations;
  /** Length of the longest chain of cells its types are inferred from. */
  readonly depth: number;
  /** Types of its variables as text that means the same anywhere, where the chain has become long. */
  readonly written: ReadonlyMap<string, string>;
}

/** What stands behind a cell's code, and how long the chain of cells has become with it. */
export interface Prelude {
  readonly text: string;
  readonly depth: number;
}

interface Meaning {
  readonly cell: CommittedCell;
  readonly kind: NameKind;
}

/** Which cell a name comes from, as a value and as a type, and what it is at run time. */
export class Names {
  readonly #values = new Map<string, Meaning>();
  readonly #types = new Map<string, Meaning>();
  readonly #runtime = new Map<string, NameKind>();
  readonly #global = new Set<CommittedCell>();

  /** Variables that exist at run time. */
  get runtime(): ReadonlyMap<string, NameKind> {
    return this.#runtime;
  }

  /** Every name a cell can use. */
  get all(): ReadonlySet<string> {
    return new Set([...this.#values.keys(), ...this.#types.keys()]);
  }

  /** @param kept names whose older declaration stays: the cell failed before it reached its own */
  commit(cell: CommittedCell, runtime: ReadonlyMap<string, NameKind>, kept: ReadonlySet<string>): void {
    const { names, isGlobal } = cell.declarations;
    for (const [name, { kind, isValue, isType }] of names) {
      if (kept.has(name)) continue;
      // a type that was declared together with the older value goes with it
      if (isValue && this.#types.get(name)?.cell === this.#values.get(name)?.cell) this.#types.delete(name);
      if (isValue) this.#values.set(name, { cell, kind });
      if (isType) this.#types.set(name, { cell, kind });
    }
    for (const [name, kind] of runtime) {
      if (!kept.has(name)) this.#runtime.set(name, kind);
    }
    if (isGlobal) this.#global.add(cell);
  }

  /**
   * Statements to put behind a cell's code so that the names it mentions and doesn't declare mean what earlier
   * cells made of them. Behind it, so that its positions stay.
   */
  prelude({ names, identifiers }: CellDeclarations): Prelude {
    const imports = new Imports(this.#global);
    const lines: string[] = [];
    let depth = 0;
    const uses = (cell: CommittedCell): void => void (depth = Math.max(depth, cell.depth + 1));
    const importFrom = (cell: CommittedCell, name: string): void => {
      uses(cell);
      imports.add(cell, name);
    };
    for (const name of identifiers) {
      const own = names.get(name);
      const value = own?.isValue === true ? undefined : this.#values.get(name);
      const type = own?.isType === true ? undefined : this.#types.get(name);
      const isBoth = (meaning: Meaning): boolean => {
        const declared = meaning.cell.declarations.names.get(name);
        return declared?.isValue === true && declared.isType;
      };
      if (value && value.cell === type?.cell) {
        importFrom(value.cell, name);
        continue;
      }
      if (value) {
        // a variable that may be assigned is declared; the others are imported, unless a type came along
        const isVariable = value.kind === 'let' || value.kind === 'var';
        const written = value.cell.written.get(name);
        if (written !== undefined) lines.push(`declare ${isVariable ? 'let' : 'const'} ${name}: ${written};`);
        else if (!isVariable && own === undefined && type === undefined && !isBoth(value))
          importFrom(value.cell, name);
        else {
          const keyword = isVariable ? 'let' : 'const';
          uses(value.cell);
          lines.push(`declare ${keyword} ${name}: typeof import("${specifierOf(value.cell)}").${name};`);
        }
      }
      if (type && !(own?.isValue === true && isBoth(type))) importFrom(type.cell, name);
    }
    return { text: [...lines, ...imports.lines()].join(' '), depth };
  }

  /** The same for reading alone, with all names: imports keep the documentation of what they name. */
  readingPrelude({ names }: CellDeclarations): string {
    const imports = new Imports(this.#global);
    const lines: string[] = [];
    for (const name of this.all) {
      if (names.has(name)) continue;
      const { cell } = this.#values.get(name) ?? this.#types.get(name)!;
      const written = cell.written.get(name);
      if (written === undefined) imports.add(cell, name);
      else lines.push(`declare let ${name}: ${written};`);
    }
    return [...lines, ...imports.lines()].join(' ');
  }

  /** Constants and functions of earlier cells are imported behind the scenes; that is no reason to tell. */
  inPlainWords(diagnostic: CellDiagnostic): CellDiagnostic {
    const name = diagnostic.code === ASSIGNED_IMPORT ? /'(.+?)'/.exec(diagnostic.message)?.[1] : undefined;
    const kind = name === undefined ? undefined : this.#values.get(name)?.kind;
    if (kind === undefined || kind === 'import') return diagnostic;
    const what = kind === 'const' ? 'a constant' : kind === 'enum' ? 'an enum' : `a ${kind}`;
    return { ...diagnostic, code: 2588, message: `Cannot assign to '${name}' because it is ${what}.` };
  }

  reset(): void {
    this.#values.clear();
    this.#types.clear();
    this.#runtime.clear();
    this.#global.clear();
  }
}

/** Names by the cell they are imported from. */
class Imports {
  readonly #names = new Map<CommittedCell, string[]>();

  /** @param always cells that are imported also without a name */
  constructor(always: Iterable<CommittedCell>) {
    for (const cell of always) this.#names.set(cell, []);
  }

  add(cell: CommittedCell, name: string): void {
    const names = this.#names.get(cell);
    if (names) names.push(name);
    else this.#names.set(cell, [name]);
  }

  lines(): string[] {
    return [...this.#names].map(([cell, names]) =>
      names.length === 0
        ? `import "${specifierOf(cell)}";`
        : `import { ${names.join(', ')} } from "${specifierOf(cell)}";`,
    );
  }
}

/** "Cannot assign to 'x' because it is an import." */
const ASSIGNED_IMPORT = 2632;

/** Behind the code of a committed cell: exports of all its names. */
export function exportsOf({ names, exported }: CellDeclarations): string {
  const list = [...names.keys()].filter((name) => !exported.has(name));
  return `export { ${list.join(', ')} };`;
}

/** Modules of cells lie, for TypeScript alone, in the notebook's folder: relative imports mean the same as there. */
export const cellFileName = (number: number): string => `__cell_${number}__.ts`;
const specifierOf = ({ number }: CommittedCell): string => `./__cell_${number}__`;

const CELL_IMPORT = /import\("[^"]*__cell_\d+__"(?:, \{[^}]*\})?\)\.?/g;

/** A compiler's message without the names of modules that the user never wrote. */
export const withoutCellNames = (message: string): string =>
  message.replace(CELL_IMPORT, '').replace(/"?(?:[^"\s]*\/)?__cell_\d+__(?:\.ts)?"?/g, 'an earlier cell');
