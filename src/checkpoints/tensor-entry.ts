import { InputError } from '../errors.js';
import { widenBfloat16, widenFloat16 } from '../io/half.js';
import { PickleExtension } from '../io/pickle.js';
import { malformed, unsupported } from './checkpoint-error.js';

export const TENSOR_DTYPES = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint64: 8,
  uint32: 4,
  uint16: 2,
  uint8: 1,
  bool: 1,
} as const;

/** Element type as the file stores it. */
export type TensorDtype = keyof typeof TENSOR_DTYPES;

/** float16 and bfloat16 come widened to float32; int64 and uint64 exact; bool as 0 and 1. */
export type TensorData =
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

/** A run of bytes in the file that one or several tensors are cut from. */
export interface Storage {
  /** Name in the file; tensors with the same storage share memory. */
  readonly key: string;
  readonly byteLength: number;
  /** Bytes [start, start + length), read from the disk now. */
  readonly read: (start: number, length: number) => Uint8Array;
}

export interface TensorLayout {
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  /** Elements between neighbours along each axis; default: row-major. */
  readonly strides?: readonly number[];
  /** Elements before the first one. */
  readonly offset?: number;
}

const MAX_RANK = 64;
/** Bytes that a view which repeats elements may grow to when it is read. */
const MAX_EXPANDED_BYTES = 2 ** 30;

/** A tensor of a checkpoint: where it lies in the file. Its bytes are read when `read` is called. */
export class TensorEntry extends PickleExtension {
  override readonly extension = 'tensor';
  readonly dtype: TensorDtype;
  /** First axis slowest. */
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  /** Number of elements. */
  readonly size: number;

  /** @throws InputError CHECKPOINT_MALFORMED for a layout that leaves its storage */
  constructor(
    readonly storage: Storage,
    layout: TensorLayout,
    private readonly where: string,
    /** True where the file says that training changes it. */
    readonly isParameter = false,
  ) {
    super();
    this.dtype = layout.dtype;
    this.shape = [...layout.shape];
    this.strides = layout.strides ? [...layout.strides] : rowMajorStrides(this.shape);
    this.offset = layout.offset ?? 0;
    this.size = this.shape.reduce((product, size) => product * size, 1);
    const problem = this.problem();
    if (problem) throw malformed(where, `A tensor ${problem} (storage "${storage.key}").`);
  }

  /** The same tensor, known to be a parameter. */
  asParameter(): TensorEntry {
    return new TensorEntry(this.storage, this, this.where, true);
  }

  /**
   * All elements, row-major, whatever the strides in the file; only the bytes between the first and the last
   * element are read. @throws InputError CHECKPOINT_CLOSED, CHECKPOINT_MALFORMED, CHECKPOINT_UNSUPPORTED
   */
  read(): TensorData {
    if (this.size === 0) return decode(this.dtype, new Uint8Array(0));
    const itemSize = TENSOR_DTYPES[this.dtype];
    const span = this.lastElement() - this.offset + 1;
    if (this.size > span && this.size * itemSize > MAX_EXPANDED_BYTES) {
      throw unsupported(
        this.where,
        `A tensor repeats ${span} stored elements to [${this.shape.join(', ')}].`,
        'Save the tensor before it is expanded.',
      );
    }
    const bytes = this.storage.read(this.offset * itemSize, span * itemSize);
    return decode(this.dtype, this.isContiguous() ? bytes : this.gather(bytes, itemSize));
  }

  /** As `read`, converted to float32. int64 beyond 2^24 loses digits. */
  readFloat32(): Float32Array {
    const data = this.read();
    if (data instanceof Float32Array) return data;
    if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
      const floats = new Float32Array(data.length);
      for (let i = 0; i < data.length; i++) floats[i] = Number(data[i]);
      return floats;
    }
    return Float32Array.from(data);
  }

  isContiguous(): boolean {
    const dense = rowMajorStrides(this.shape);
    return this.strides.every((stride, axis) => stride === dense[axis] || this.shape[axis] === 1);
  }

  private lastElement(): number {
    return this.shape.reduce((last, size, axis) => last + (size - 1) * this.strides[axis]!, this.offset);
  }

  private problem(): string | undefined {
    const { shape, strides, offset, storage } = this;
    const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
    if (shape.length > MAX_RANK) return `has ${shape.length} axes`;
    if (shape.length !== strides.length) return `has ${shape.length} sizes and ${strides.length} strides`;
    if (![...shape, ...strides, offset].every(isCount))
      return 'has a size, stride or offset that is no count';
    if (!Number.isSafeInteger(this.size)) return `claims the shape [${shape.join(', ')}]`;
    const stored = Math.floor(storage.byteLength / TENSOR_DTYPES[this.dtype]);
    const end = this.size === 0 ? offset : this.lastElement() + 1;
    if (end > stored) return `of shape [${shape.join(', ')}] needs ${end} elements of ${stored} stored`;
    return undefined;
  }

  private gather(bytes: Uint8Array, itemSize: number): Uint8Array {
    const result = new Uint8Array(this.size * itemSize);
    const { shape, strides } = this;
    const index = new Array<number>(shape.length).fill(0);
    let from = 0;
    for (let to = 0; to < result.length; to += itemSize) {
      for (let k = 0; k < itemSize; k++) result[to + k] = bytes[from * itemSize + k]!;
      for (let axis = shape.length - 1; axis >= 0; axis--) {
        from += strides[axis]!;
        if (++index[axis]! < shape[axis]!) break;
        from -= strides[axis]! * shape[axis]!;
        index[axis] = 0;
      }
    }
    return result;
  }
}

/** A tensor whose kind is not read: the rest of the file is. */
export class UnsupportedTensor extends PickleExtension {
  override readonly extension = 'unsupported-tensor';
  constructor(readonly reason: string) {
    super();
  }
}

export const closedError = (where: string): InputError =>
  new InputError('CHECKPOINT_CLOSED', 'A tensor was read after its checkpoint was closed.', {
    where,
    hint: 'Read the tensors first, then close the checkpoint.',
  });

function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  for (let axis = shape.length - 1, stride = 1; axis >= 0; stride *= Math.max(1, shape[axis--]!))
    strides[axis] = stride;
  return strides;
}

/** Little-endian bytes; those at an odd place in memory are copied to an even one. */
function decode(dtype: TensorDtype, source: Uint8Array): TensorData {
  const isAligned = source.byteOffset % TENSOR_DTYPES[dtype] === 0;
  const { buffer, byteOffset } = isAligned ? source : new Uint8Array(source);
  const count = source.length / TENSOR_DTYPES[dtype];
  switch (dtype) {
    case 'float64':
      return new Float64Array(buffer, byteOffset, count);
    case 'float32':
      return new Float32Array(buffer, byteOffset, count);
    case 'float16':
      return widenFloat16(new Uint16Array(buffer, byteOffset, count));
    case 'bfloat16':
      return widenBfloat16(new Uint16Array(buffer, byteOffset, count));
    case 'int64':
      return new BigInt64Array(buffer, byteOffset, count);
    case 'uint64':
      return new BigUint64Array(buffer, byteOffset, count);
    case 'int32':
      return new Int32Array(buffer, byteOffset, count);
    case 'uint32':
      return new Uint32Array(buffer, byteOffset, count);
    case 'int16':
      return new Int16Array(buffer, byteOffset, count);
    case 'uint16':
      return new Uint16Array(buffer, byteOffset, count);
    case 'int8':
      return new Int8Array(buffer, byteOffset, count);
    case 'uint8':
    case 'bool':
      return new Uint8Array(buffer, byteOffset, count);
  }
}
