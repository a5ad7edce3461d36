import { sizeOf } from '../../shapes.js';

export type DataType = 'float32' | 'int32' | 'bool';

/** A tensor by its size alone. */
export interface Shaped {
  readonly shape: readonly number[];
  readonly dtype: DataType;
}

/** A tensor with its place in the store of data, which here holds none. */
export interface ShapedTensor extends Shaped {
  readonly dataId: object;
}

/** By name, or by index where a kernel takes a list. */
export type Inputs = Readonly<Record<string, ShapedTensor | undefined>>;
export type Attributes = Readonly<Record<string, unknown>>;

/** What a kernel makes of its inputs, and what that costs. */
export interface KernelOutcome {
  readonly outputs: readonly Shaped[];
  /** Pairs of a multiplication and an addition, of convolutions and matrix products. */
  readonly multiplyAdds?: number;
  /** The product is a transposed convolution. */
  readonly isTransposed?: boolean;
  /** One a value that arithmetic of another kind writes, or that a reduction reads. */
  readonly otherOperations?: number;
  /** Same numbers in another place: the result of a parameter still is this parameter. */
  readonly isMove?: boolean;
}

export type KernelRule = (inputs: Inputs, attributes: Attributes) => KernelOutcome;

export const FLOAT = 'float32';

/** The inputs of a kernel that takes a list. */
export const list = (inputs: Inputs): ShapedTensor[] => Object.values(inputs) as ShapedTensor[];

/** The one input of a kernel, whatever its name. */
export const only = (inputs: Inputs): ShapedTensor => list(inputs)[0]!;

/** Numbers written without arithmetic. */
export const sized = (shape: readonly number[], dtype: DataType): KernelOutcome => ({
  outputs: [{ shape, dtype }],
});

/** The input's numbers in another shape. */
export const moved = (x: Shaped, shape: readonly number[], dtype = x.dtype): KernelOutcome => ({
  outputs: [{ shape, dtype }],
  isMove: true,
});

/** @param each operations a value; default 1 */
export const elementwise = (shape: readonly number[], dtype: DataType, each = 1): KernelOutcome => ({
  outputs: [{ shape, dtype }],
  otherOperations: sizeOf(shape) * each,
});

export const reduced = (x: Shaped, shape: readonly number[]): KernelOutcome => ({
  outputs: [{ shape, dtype: x.dtype }],
  otherOperations: sizeOf(x.shape),
});
