import type { SchemaTree } from 'hyparquet';
import { readHead, type ByteSource } from '../byte-source.js';
import { badHeader, notTheFormat, tooLarge, truncated, unsupported } from '../format-error.js';
import { SNIFF_BYTES } from '../sniff.js';
import { readThrift, ThriftFault } from './thrift.js';

const MAX_FOOTER_BYTES = 256 * 2 ** 20;

/** The footer with its length and the last four letters, as hyparquet takes it. */
export function readFooter(source: ByteSource): Uint8Array {
  const { where, size } = source;
  const head = readHead(source, SNIFF_BYTES);
  const magic = Buffer.from(head.subarray(0, 4)).toString('latin1');
  if (magic !== 'PAR1' && magic !== 'PARE')
    throw notTheFormat('NOT_PARQUET', 'Parquet file', head, size, where);
  if (magic === 'PARE') throw unsupported(where, 'The table is encrypted.');
  if (size < 12) throw truncated(where, 'The file ends before its footer.');
  const tail = source.read(size - 8, 8);
  if (Buffer.from(tail.subarray(4)).toString('latin1') !== 'PAR1')
    throw truncated(where, 'The file does not end with its footer.');
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (length > size - 12) throw badHeader(where, `The footer claims ${length} bytes in a file of ${size}.`);
  if (length > MAX_FOOTER_BYTES) throw tooLarge(where, `The footer has ${length} bytes.`);
  const footer = source.read(size - 8 - length, length + 8);
  try {
    readThrift(footer.subarray(0, length)); // bounds every list and every nesting before it is decoded
  } catch (cause) {
    if (!(cause instanceof ThriftFault)) throw cause;
    throw badHeader(where, `The footer cannot be read: ${cause.message}.`, cause);
  }
  return footer;
}

/** `INT64`, `BYTE_ARRAY (UTF8)`, `list of FLOAT`, `group of 2`. */
export function describeColumn({ element, children }: SchemaTree): string {
  const { type, converted_type: converted, logical_type: logical, repetition_type: repetition } = element;
  const meaning = converted ?? logical?.type;
  if (children.length === 0) return meaning ? `${type} (${meaning})` : (type ?? 'group of 0');
  if (meaning === 'LIST' && children.length === 1) {
    const item = children[0]!;
    return `list of ${describeColumn(item.children.length === 1 ? item.children[0]! : item)}`;
  }
  return `${repetition === 'REPEATED' ? 'repeated ' : ''}group of ${children.length}`;
}
