/**
 * How cells become values. An engine has two halves: one that reads code (conversion, diagnostics, completion),
 * which lives in a thread of its own and so answers while a cell runs, and one that runs it, on the main thread,
 * where native addons work.
 */

export const engineNames = ['tslab', 'typescript'] as const;
export type CellEngineName = (typeof engineNames)[number];

/** One cell as the user typed it, magics taken out. */
export interface Cell {
  /** Id of the request; unique in the life of the kernel. */
  readonly id: string;
  /** The number in the prompt, `In [3]`. */
  readonly count: number;
  readonly code: string;
}

/** A message of the compiler about a cell or about a file it imports. Lines and columns count from 1. */
export interface CellDiagnostic {
  readonly severity: 'error' | 'warning';
  /** TypeScript's number, 2322 of `TS2322`. */
  readonly code: number;
  readonly message: string;
  /** Absolute path where it is about a file; undefined for the cell itself. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
  /** What to do about it, where that can be told. */
  readonly hint?: string;
}

/** What the reading half hands to the running half. `payload` is a structured clone only that engine understands. */
export interface ConvertedCell {
  readonly id: string;
  /** Errors keep the cell from running; warnings are shown and it runs. */
  readonly diagnostics: readonly CellDiagnostic[];
  readonly payload: unknown;
}

/** Offsets count UTF-16 code units of the cell's code. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly matches: readonly string[];
  /** Per match, for JupyterLab's list: `function`, `property`, `module`, … */
  readonly types?: readonly string[];
}

export interface Inspection {
  /** Signature and documentation as plain text. */
  readonly text: string;
  readonly markdown?: string;
}

export interface Completeness {
  readonly status: 'complete' | 'incomplete' | 'invalid' | 'unknown';
  /** What to begin the next line with; where the status is `incomplete`. */
  readonly indent?: string;
}

/** How much of TypeScript's checking stands before a cell runs. */
export const strictnessLevels = ['off', 'loose', 'strict'] as const;
/** `off`: syntax only. `loose` (default): types, without `strict`. `strict`: as `"strict": true`. */
export type Strictness = (typeof strictnessLevels)[number];

export interface LanguageOptions {
  /** Folder the kernel was started in: the notebook's. Absolute. */
  readonly folder: string;
  /** Nearest folder at or above it with a package.json or tsconfig.json; `folder` where there is none. */
  readonly projectRoot: string;
  readonly strictness: Strictness;
  /** Declarations of the kernel's globals, added to every cell's program: name of a `.d.ts` file that exists. */
  readonly globals: string;
}

/** The reading half. Its methods are synchronous: it has its thread for itself. */
export interface CellLanguage {
  /** Checks and translates a cell that is about to run. Sees the names of cells committed before. */
  convert(cell: Cell): ConvertedCell;
  /**
   * After the cell ran: its declarations become visible to later cells, also where it failed half-way
   * (`failed`): a name that was declared and never assigned is then `undefined` at run time, not unknown.
   * @param kept names of earlier cells that it failed to declare anew: they stay what they were
   */
  commit(id: string, failed: boolean, kept?: readonly string[]): void;
  complete(code: string, position: number): Completion | undefined;
  /** @param source `??`: the declaration's source text too */
  inspect(code: string, position: number, source: boolean): Inspection | undefined;
  isComplete(code: string): Completeness;
  setStrictness(strictness: Strictness): void;
  /** Forgets all cells. */
  reset(): void;
}

/** Asynchronous access to the reading half from the main thread. */
export interface LanguageClient {
  convert(cell: Cell): Promise<ConvertedCell>;
  commit(id: string, failed: boolean, kept?: readonly string[]): void;
  inspect(code: string, position: number, source: boolean): Promise<Inspection | undefined>;
  setStrictness(strictness: Strictness): void;
  reset(): void;
}

/** What became of a cell. */
export type CellOutcome =
  | { readonly status: 'ok'; readonly hasValue: boolean; readonly value: unknown }
  /** The compiler refused it: nothing ran. */
  | { readonly status: 'refused'; readonly diagnostics: readonly CellDiagnostic[] }
  | { readonly status: 'thrown'; readonly error: unknown }
  | { readonly status: 'interrupted' };

/** What is told while a cell is executed. */
export interface CellHooks {
  /** Warnings of the compiler, before the cell runs. */
  readonly onDiagnostics?: (diagnostics: readonly CellDiagnostic[]) => void;
  /** Conversion is over, the next thing is the cell's first statement. */
  readonly onStart?: () => void;
}

/** The running half, on the main thread. */
export interface CellEngine {
  readonly name: CellEngineName;
  /**
   * Converts and runs a cell; one at a time. After `interrupt` the next one may come, also where the cell before
   * never settles.
   * The value is that of the last expression statement; a promise there is awaited only if the cell awaits it.
   */
  execute(cell: Cell, hooks?: CellHooks): Promise<CellOutcome>;
  /** Rejects what the cell at work awaits; code that never yields is stopped by the wire thread. */
  interrupt(): void;
  /** Variables of the cells so far, by name, for `%who`; imports and kernel globals left out. */
  variables(): ReadonlyMap<string, unknown>;
  /** Original place of a position in a script this engine made (a cell or a local module), or undefined. */
  originalPosition(file: string, line: number, column: number): OriginalPosition | undefined;
  reset(): void;
}

/** Lines and columns count from 1. */
export interface OriginalPosition {
  /** `Cell [3]`, or an absolute path. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Source text, for the lines shown around the place. */
  readonly text?: string;
}
