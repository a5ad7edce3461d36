/** An import statement of a cell, types left out. */
export interface CellImport {
  readonly specifier: string;
  /** Names the module must export. */
  readonly names: readonly string[];
}

/** What the reading half of the engine `tslab` hands to the running half. */
export type TslabPayload =
  | {
      readonly kind: 'cell';
      /** JavaScript as tslab's executor runs it. */
      readonly output: string;
      readonly isAsync: boolean;
      /** Name under which the value of the last expression is exported; undefined where the cell ends otherwise. */
      readonly value: string | undefined;
      /** Names that the cell declares as values, imports apart. */
      readonly names: readonly string[];
      readonly imported: readonly string[];
      /** Its imports, in order: they are loaded before it runs. */
      readonly imports: readonly CellImport[];
      /** The cell as typed. */
      readonly source: string;
      /** Source maps as JSON, from the output back to the cell, one after the other. */
      readonly maps: readonly string[];
      /** Lines that stand before the cell in the first source. */
      readonly linesBefore: number;
    }
  /** A cell that is a module: it runs where it is imported. */
  | { readonly kind: 'module'; readonly name: string; readonly source: string }
  /** A cell for the browser, which tslab passes over. */
  | { readonly kind: 'none' };
