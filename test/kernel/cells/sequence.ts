import type { Strictness } from '../../../src/kernel/cell-engine.js';

interface Step {
  /** The cell as a user types it. */
  readonly code: string;
}

/** The cell ends well; `value` is that of its last expression. */
export interface ValueStep extends Step {
  readonly value: unknown;
}

/** The cell ends well and has no value: its last statement is no expression. */
export interface SilentStep extends Step {
  readonly silent: true;
}

/** The cell throws; lines and columns are the cell's own and count from 1. */
export interface ThrowStep extends Step {
  readonly throws: {
    readonly name: string;
    readonly message?: string | RegExp;
    readonly line?: number;
    readonly column?: number;
    /** The cell the error comes from, where it is an earlier one; counts from 1. */
    readonly cell?: number;
  };
}

/** The compiler refuses the cell. */
export interface RefusedStep extends Step {
  readonly refused: {
    /** TypeScript's number, or several of which one is right (engines have different compilers). */
    readonly code?: number | readonly number[];
    readonly line?: number;
    readonly column?: number;
  };
}

export type CellStep = ValueStep | SilentStep | ThrowStep | RefusedStep;

/** Cells that run one after the other, and the right outcome of each. */
export interface Sequence {
  /** A sentence. */
  readonly name: string;
  readonly cells: readonly CellStep[];
  readonly strictness?: Strictness;
  /** Why the engine `tslab` cannot do it: there the sequence is expected to fail. */
  readonly tslab?: string;
}

/** Files in the folder the cells run in. */
export const notebookFiles: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "notebook-fixture", "type": "module" }',
  'shapes.ts': `
    export interface Shape { area(): number }
    export type Size = { width: number; height: number };
    export class Square implements Shape {
      constructor(readonly side: number) {}
      area(): number { return this.side ** 2; }
    }
    export const unit: Shape = new Square(1);
    export let count = 0;
    export function next(): number { return ++count; }
    export default function describe(shape: Shape): string { return 'area ' + shape.area(); }
  `,
  'table.json': '{ "rows": [1, 2, 3], "name": "table" }',
  'counter.ts':
    'export const created = (globalThis as any).__created = ((globalThis as any).__created ?? 0) + 1;',
  'lib/deep.ts': "export { Square as Deep } from '../shapes.js';\nexport * as shapes from '../shapes.js';\n",
  'slow.ts': 'export const slow: number = await Promise.resolve(7);',
  'untyped.js': 'export const answer = 42;\nexport default { name: "untyped" };\n',
  'old.cjs': 'module.exports = { kind: "cjs", twice: (x) => 2 * x };\n',
};
