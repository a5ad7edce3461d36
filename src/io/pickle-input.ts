import { readSync } from 'node:fs';

/** Bytes that a pickle is read from, front to back. Running out of them is an error, never a short read. */
export interface PickleInput {
  readonly position: number;
  readonly remaining: number;
  byte(): number;
  /** The next `length` bytes; refused before anything is allocated where so many are not left. */
  bytes(length: number): Uint8Array;
  /** Up to the next line feed, which is taken but not returned. */
  line(): Uint8Array;
}

/** What is wrong with a pickle; `readPickle` says where. */
export class PickleFault extends Error {
  constructor(
    message: string,
    readonly code: 'PICKLE_MALFORMED' | 'PICKLE_UNSUPPORTED' = 'PICKLE_MALFORMED',
  ) {
    super(message);
  }
}

/** The file ends, or claims a length beyond its end. */
export class PickleEnd extends PickleFault {}

const MAX_LINE_BYTES = 2 ** 20;

export class MemoryInput implements PickleInput {
  position = 0;
  private readonly content: Uint8Array;
  constructor(content: Uint8Array) {
    // a Buffer's own subarray and slice both share memory; those of a plain Uint8Array do not
    this.content = new Uint8Array(content.buffer, content.byteOffset, content.length);
  }

  get remaining(): number {
    return this.content.length - this.position;
  }
  byte(): number {
    const value = this.content[this.position];
    if (value === undefined) throw new PickleEnd('it ends before its last instruction');
    this.position++;
    return value;
  }
  bytes(length: number): Uint8Array {
    refuseBeyondEnd(length, this.remaining);
    return this.content.subarray(this.position, (this.position += length));
  }
  line(): Uint8Array {
    return takeLine(this);
  }
}

/** Reads a file descriptor in blocks; never holds more than a block or one text of the pickle. */
export class FileInput implements PickleInput {
  private block = new Uint8Array(0);
  private blockStart: number;
  private offset = 0;

  /** Bytes [start, end) of the file. */
  constructor(
    private readonly fd: number,
    start: number,
    private readonly end: number,
    private readonly blockBytes = 2 ** 16,
  ) {
    this.blockStart = start;
  }

  get position(): number {
    return this.blockStart + this.offset;
  }
  get remaining(): number {
    return this.end - this.position;
  }
  byte(): number {
    if (this.offset === this.block.length) this.fill();
    return this.block[this.offset++]!;
  }
  bytes(length: number): Uint8Array {
    refuseBeyondEnd(length, this.remaining);
    const result = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      if (this.offset === this.block.length) this.fill();
      const part = this.block.subarray(this.offset, this.offset + length - done);
      result.set(part, done);
      done += part.length;
      this.offset += part.length;
    }
    return result;
  }
  line(): Uint8Array {
    return takeLine(this);
  }

  private fill(): void {
    const start = this.position;
    const block = new Uint8Array(Math.min(this.blockBytes, this.end - start));
    const count = block.length === 0 ? 0 : readSync(this.fd, block, 0, block.length, start);
    if (count === 0) throw new PickleEnd('it ends before its last instruction');
    this.block = block.subarray(0, count);
    this.blockStart = start;
    this.offset = 0;
  }
}

function refuseBeyondEnd(length: number, remaining: number): void {
  if (length > remaining)
    throw new PickleEnd(`a text or number claims ${length} bytes where ${remaining} are left`);
}

function takeLine(input: PickleInput): Uint8Array {
  const bytes: number[] = [];
  for (let byte = input.byte(); byte !== 0x0a; byte = input.byte()) {
    if (bytes.push(byte) > MAX_LINE_BYTES) throw new PickleEnd('a line of text does not end');
  }
  return Uint8Array.from(bytes);
}
