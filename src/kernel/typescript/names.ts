import type { CellDeclarations, NameKind } from './declarations.js';

/** A cell that ran, as later cells see it: a module that exports all it declares. */
export interface CommittedCell {
  readonly number: number;
  readonly declarations: CellDeclarations;
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
  prelude({ names, identifiers }: CellDeclarations): string {
    const imports = new Map<CommittedCell, string[]>();
    const lines: string[] = [];
    for (const cell of this.#global) imports.set(cell, []);
    const importFrom = (cell: CommittedCell, name: string): void => {
      const list = imports.get(cell);
      if (list) list.push(name);
      else imports.set(cell, [name]);
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
        if (!isVariable && own === undefined && type === undefined && !isBoth(value)) importFrom(value.cell, name);
        else {
          const keyword = isVariable ? 'let' : 'const';
          lines.push(`declare ${keyword} ${name}: typeof import("${specifierOf(value.cell)}").${name};`);
        }
      }
      if (type && !(own?.isValue === true && isBoth(type))) importFrom(type.cell, name);
    }
    for (const [cell, list] of imports) {
      lines.push(
        list.length === 0
          ? `import "${specifierOf(cell)}";`
          : `import { ${list.join(', ')} } from "${specifierOf(cell)}";`,
      );
    }
    return lines.join(' ');
  }

  /** The same for reading alone, with all names: imports keep the documentation of what they name. */
  readingPrelude({ names }: CellDeclarations): string {
    const imports = new Map<CommittedCell, string[]>();
    for (const cell of this.#global) imports.set(cell, []);
    for (const name of this.all) {
      if (names.has(name)) continue;
      const meaning = this.#values.get(name) ?? this.#types.get(name)!;
      const list = imports.get(meaning.cell);
      if (list) list.push(name);
      else imports.set(meaning.cell, [name]);
    }
    return [...imports]
      .map(([cell, list]) => `import { ${list.join(', ')} } from "${specifierOf(cell)}";`)
      .join(' ');
  }

  reset(): void {
    this.#values.clear();
    this.#types.clear();
    this.#runtime.clear();
    this.#global.clear();
  }
}

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
