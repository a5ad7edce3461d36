interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

/** Text with edits, and for every place in it the place it came from. */
export interface EditedText {
  readonly text: string;
  /**
   * Triples in rising order: offset in `text`, offset in the source, characters copied from there; 0 where the
   * text is new.
   */
  readonly segments: readonly number[];
}

/** Replacements and wrappings of pieces of a text, in any order; replacements do not overlap. */
export class Edits {
  readonly #source: string;
  readonly #replacements = new Map<number, { readonly end: number; readonly text: string }>();
  readonly #wraps: Wrap[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  replace(start: number, end: number, text: string): void {
    this.#replacements.set(start, { end, text });
  }

  /** Of two that begin or end at the same place, the longer one is outside. */
  wrap(start: number, end: number, open: string, close: string): void {
    this.#wraps.push({ start, end, open, close });
  }

  apply(header: string, footer: string): EditedText {
    const source = this.#source;
    const parts: string[] = [];
    const segments: number[] = [];
    let length = 0;
    const add = (text: string, from: number, copied: boolean): void => {
      if (text === '') return;
      segments.push(length, from, copied ? text.length : 0);
      parts.push(text);
      length += text.length;
    };
    const opens = [...this.#wraps].sort((a, b) => a.start - b.start || b.end - a.end);
    const closes = [...this.#wraps].sort((a, b) => a.end - b.end || b.start - a.start);
    const stops = [
      ...new Set([...this.#replacements.keys(), ...this.#wraps.flatMap(({ start, end }) => [start, end])]),
    ].sort((a, b) => a - b);
    add(header, 0, false);
    let at = 0;
    let opened = 0;
    let closed = 0;
    for (const stop of stops) {
      if (stop > at) add(source.slice(at, stop), at, true);
      at = Math.max(at, stop);
      for (; closes[closed]?.end === stop; closed++) add(closes[closed]!.close, stop, false);
      for (; opens[opened]?.start === stop; opened++) add(opens[opened]!.open, stop, false);
      const replacement = this.#replacements.get(stop);
      if (replacement === undefined) continue;
      add(replacement.text, stop, false);
      at = replacement.end;
    }
    add(source.slice(at), at, true);
    add(footer, source.length, false);
    return { text: parts.join(''), segments };
  }
}

/** Offset in the source of an offset in the edited text. */
export function sourceOffset(segments: readonly number[], offset: number): number {
  let low = 0;
  let high = segments.length / 3 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (segments[middle * 3]! <= offset) low = middle;
    else high = middle - 1;
  }
  const start = segments[low * 3] ?? 0;
  const from = segments[low * 3 + 1] ?? 0;
  const copied = segments[low * 3 + 2] ?? 0;
  return from + Math.min(Math.max(0, offset - start), Math.max(0, copied - 1));
}
