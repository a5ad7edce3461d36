import { readSync } from 'node:fs';

/** One field of a message: a number, or the place of its bytes. */
export interface Field {
  readonly number: number;
  /** Of fields that are numbers; beyond 2⁵³ not exact. */
  readonly value: number;
  /** Of fields that are bytes, texts and messages: from where to where in the file. */
  readonly start: number;
  readonly end: number;
}

const WINDOW_BYTES = 2 ** 16;

/** Reads messages of Protocol Buffers in a file by their places: what is not asked for is passed over. */
export class ProtocolBuffer {
  #window = Buffer.alloc(0);
  #windowStart = 0;

  constructor(
    private readonly fd: number,
    readonly size: number,
  ) {}

  /** Fields of the message at [start, end). @throws RangeError where the bytes are no message */
  *fields(start = 0, end = this.size): Generator<Field> {
    for (let at = start; at < end;) {
      const tag = this.#varint(at, end);
      const number = Math.floor(tag.value / 8);
      const kind = tag.value % 8;
      if (number === 0) throw new RangeError(`no field at byte ${at}`);
      const first = kind === 0 || kind === 2 ? this.#varint(tag.end, end) : { value: 0, end: tag.end };
      const length = kind === 2 ? first.value : kind === 1 ? 8 : kind === 5 ? 4 : 0;
      if (kind === 3 || kind === 4 || kind > 5 || length > end - first.end) {
        throw new RangeError(`a field of kind ${kind} and ${length} bytes at byte ${at} of ${end}`);
      }
      yield { number, value: first.value, start: first.end, end: first.end + length };
      at = first.end + length;
    }
  }

  text({ start, end }: Field): string {
    return this.#bytes(start, end).toString('utf8');
  }

  /** Numbers of a repeated field: one, or many packed together. */
  numbers({ value, start, end }: Field): number[] {
    if (start === end) return [value];
    const found: number[] = [];
    for (let at = start; at < end;) {
      const next = this.#varint(at, end);
      found.push(next.value);
      at = next.end;
    }
    return found;
  }

  #varint(start: number, limit: number): { value: number; end: number } {
    const bytes = this.#bytes(start, Math.min(start + 10, limit));
    let value = 0;
    for (const [index, byte] of bytes.entries()) {
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return { value, end: start + index + 1 };
    }
    throw new RangeError(`no number at byte ${start}`);
  }

  #bytes(start: number, end: number): Buffer {
    const isInside = start >= this.#windowStart && end <= this.#windowStart + this.#window.length;
    if (!isInside) {
      const window = Buffer.alloc(Math.min(Math.max(WINDOW_BYTES, end - start), this.size - start));
      const count = readSync(this.fd, window, 0, window.length, start);
      this.#window = window.subarray(0, count);
      this.#windowStart = start;
      if (end - start > count) throw new RangeError(`the file ends before byte ${end}`);
    }
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }
}
