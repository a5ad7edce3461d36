/** Why bytes are no structure of Thrift's compact form. */
export class ThriftFault extends Error {}

/** Fields by their number; binary values stay views into the bytes. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
export type ThriftValue = boolean | number | bigint | Uint8Array | ThriftStruct | readonly ThriftValue[];

const MAX_DEPTH = 32;

/**
 * Reads one structure of Thrift's compact form, as Parquet uses it, and tells where it ends. Nothing is allocated by a
 * claim: a list is never longer than the bytes that are left.
 * @throws ThriftFault
 */
export function readThrift(
  bytes: Uint8Array,
  start = 0,
): { readonly value: ThriftStruct; readonly end: number } {
  const reader = new ThriftReader(bytes, start);
  const value = reader.struct(0);
  return { value, end: reader.at };
}

class ThriftReader {
  private readonly view: DataView;
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new ThriftFault('structures are nested too deep');
    const fields = new Map<number, ThriftValue>();
    for (let id = 0; ;) {
      const head = this.byte();
      const type = head & 15;
      if (type === 0) return fields;
      id = head >> 4 ? id + (head >> 4) : Number(this.zigZag());
      fields.set(id, type === 1 || type === 2 ? type === 1 : this.value(type, depth));
    }
  }

  private value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
      case 2:
        return this.byte() === 1; // in a list each has its byte
      case 3:
        return this.byte();
      case 4:
      case 5:
        return Number(this.zigZag());
      case 6:
        return this.zigZag();
      case 7: {
        this.need(8);
        this.at += 8;
        return this.view.getFloat64(this.at - 8, true);
      }
      case 8: {
        const length = Number(this.varInt());
        this.need(length);
        this.at += length;
        return this.bytes.subarray(this.at - length, this.at);
      }
      case 9:
      case 10: {
        const head = this.byte();
        const count = head >> 4 === 15 ? Number(this.varInt()) : head >> 4;
        this.need(count); // every item has a byte at least
        return Array.from({ length: count }, () => this.value(head & 15, depth + 1));
      }
      case 12:
        return this.struct(depth + 1);
      default:
        throw new ThriftFault(`there is no type ${type}`);
    }
  }

  private byte(): number {
    this.need(1);
    return this.bytes[this.at++]!;
  }

  private varInt(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new ThriftFault('a number does not end');
  }

  private zigZag(): bigint {
    const value = this.varInt();
    return (value >> 1n) ^ -(value & 1n);
  }

  private need(count: number): void {
    if (!(count <= this.bytes.length - this.at)) throw new ThriftFault('it ends too early');
  }
}
