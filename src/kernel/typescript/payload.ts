import { LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { sourceOffset } from './edits.js';
import type { RewrittenCell } from './rewrite.js';

/** What the language thread hands to the main thread. */
export type CellPayload =
  | CodePayload
  /** A cell that is a module: it runs where it is imported. */
  | { readonly kind: 'module'; readonly name: string; readonly source: string }
  /** A cell for a browser. */
  | { readonly kind: 'nothing' };

/** A cell to run. */
export interface CodePayload extends RewrittenCell {
  readonly kind: 'cell';
  /** The cell as TypeScript emitted it, before it was rewritten. */
  readonly js: string;
  /** Source map from `js` to the cell, as JSON. */
  readonly map: string;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Place in the cell as typed, of a place in the script that ran; lines and columns count from 1. */
export function positionInCell(
  { code, js, map, segments }: Pick<CodePayload, 'code' | 'js' | 'map' | 'segments'>,
  line: number,
  column: number,
): Position | undefined {
  const offset = offsetAt(code, { line, column });
  return offset === undefined ? undefined : positionOf(js, sourceOffset(segments, offset), new TraceMap(map));
}

/** Place in the cell of an offset in the JavaScript made of it. */
export function positionOf(js: string, offset: number, map: TraceMap): Position | undefined {
  const before = js.slice(0, offset).split('\n');
  const place = { line: before.length, column: before.at(-1)!.length };
  const found = originalPositionFor(map, place);
  // the first token of a line may have no mapping of its own
  const { line, column } =
    found.line === null ? originalPositionFor(map, { ...place, bias: LEAST_UPPER_BOUND }) : found;
  return line === null ? undefined : { line, column: column + 1 };
}

function offsetAt(text: string, { line, column }: Position): number | undefined {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  return start + column - 1;
}
