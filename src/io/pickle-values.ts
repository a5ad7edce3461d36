/**
 * What an inert reading of a pickle gives: plain values, never an instance of a class that the file names.
 * int → number, beyond 2^53 bigint; float → number; str → string; bytes, bytearray → Uint8Array;
 * list → array; dict, OrderedDict → Map; set, frozenset → Set; None → null.
 */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleValue[]
  | Map<PickleValue, PickleValue>
  | Set<PickleValue>
  | PickleTuple
  | PickleGlobal
  | PickleObject
  | ComplexNumber
  | NumpyScalar
  | NumpyArray
  | PickleExtension;

export class PickleTuple {
  constructor(readonly items: readonly PickleValue[]) {}
}

export interface ComplexNumber {
  readonly kind: 'complex';
  readonly re: number;
  readonly im: number;
}

/** A class or function that the file names. Only its name: nothing is looked up. */
export class PickleGlobal {
  constructor(
    readonly module: string,
    readonly name: string,
  ) {}
  get fullName(): string {
    return `${this.module}.${this.name}`;
  }
}

/** What a call of an unknown class or function would have made: its name and what it was given. */
export class PickleObject {
  /** State that the file sets afterwards: usually a Map of attributes. */
  state: PickleValue | undefined;
  /** Items that the file appends or sets, where the object is list- or dict-like. */
  readonly items: PickleValue[] = [];
  readonly entries = new Map<PickleValue, PickleValue>();

  constructor(
    readonly type: PickleGlobal,
    readonly args: readonly PickleValue[],
  ) {}
}

/** Element types of NumPy that are read, by their name there. */
export type NumpyType = 'bool' | `${'int' | 'uint'}${8 | 16 | 32 | 64}` | `float${16 | 32 | 64}`;

export interface NumpyScalar {
  readonly kind: 'numpy-scalar';
  readonly dtype: NumpyType;
  readonly value: number | bigint | boolean;
}

export type NumpyData =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array
  | readonly PickleValue[];

/** An array; empty of dtype float64 until the file sets its state. */
export class NumpyArray {
  readonly kind = 'numpy-array';
  /** `object`: the elements are any values. `other`: texts, dates or records, whose bytes are left unread. */
  dtype: NumpyType | 'object' | 'other' = 'float64';
  shape: readonly number[] = [0];
  /** In C order whatever the file has; float16 is widened, int64 and uint64 stay exact, bool is 0 or 1. */
  data: NumpyData = new Float64Array(0);
}

/** Base of values that a reader adds of its own, such as the tensors of a checkpoint. */
export abstract class PickleExtension {
  abstract readonly extension: string;
}

export const isMap = (value: unknown): value is Map<PickleValue, PickleValue> => value instanceof Map;
/** The value of a text key, or undefined. */
export const entry = (value: unknown, key: string): PickleValue | undefined =>
  isMap(value) ? value.get(key) : undefined;
