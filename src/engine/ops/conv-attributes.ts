import { tf, type Tensor1D } from '../tf.js';
import type { OpAttributes } from './raw.js';

export interface ConvAttributes {
  /** Rows and columns. */
  readonly stride: readonly [number, number];
  /** Default 1. */
  readonly dilation?: number;
  readonly padding: 'SAME' | 'VALID';
}

/** What TensorFlow's op is told; its two backward ops take the same. */
export const convAttributes = (
  op: 'Conv2D' | 'DepthwiseConv2dNative',
  { stride, dilation = 1, padding }: ConvAttributes,
): OpAttributes => ({
  T: { type: 'float32' },
  strides: { int: [1, ...stride, 1] },
  dilations: { int: [1, dilation, dilation, 1] },
  padding: { text: padding },
  explicit_paddings: { int: [] },
  data_format: { text: 'NHWC' },
  ...(op === 'Conv2D' && { use_cudnn_on_gpu: { bool: true } }),
});

/** The shape that a backward op asks for. */
export const shapeTensor = (shape: readonly number[]): Tensor1D => tf.tensor1d([...shape], 'int32');
