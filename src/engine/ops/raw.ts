import { tf, type Tensor } from '../tf.js';

/** Attribute of a raw TensorFlow op. */
interface OpAttribute {
  readonly name: string;
  readonly type: number;
  readonly value: unknown;
}

interface NativeBackend {
  readonly binding: Readonly<
    Record<`TF_ATTR_${'INT' | 'FLOAT' | 'BOOL' | 'STRING' | 'TYPE' | 'SHAPE'}`, number>
  > &
    Readonly<Record<'TF_FLOAT' | 'TF_INT32' | 'TF_INT64' | 'TF_BOOL', number>>;
  executeMultipleOutputs(
    name: string,
    attributes: OpAttribute[],
    inputs: Tensor[],
    outputs: number,
  ): Tensor[];
}

type AttributeValue =
  | { readonly int: number | readonly number[] }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly text: string }
  | { readonly shape: readonly number[] }
  | { readonly type: 'float32' | 'int32' | 'int64' | 'bool' };

export type OpAttributes = Readonly<Record<string, AttributeValue>>;

/**
 * Runs one TensorFlow op by its registered name on the native engine. Outputs are owned by the caller's scope.
 * No gradient: callers wrap it in `withGradient`.
 */
export function rawOp(
  name: string,
  inputs: readonly Tensor[],
  attributes: OpAttributes,
  outputCount = 1,
): Tensor[] {
  const backend = tf.backend() as unknown as NativeBackend;
  const list = Object.entries(attributes).map(([key, value]) => toAttribute(key, value, backend.binding));
  return backend.executeMultipleOutputs(name, list, [...inputs], outputCount);
}

const TYPE_NAMES = { float32: 'TF_FLOAT', int32: 'TF_INT32', int64: 'TF_INT64', bool: 'TF_BOOL' } as const;

function toAttribute(name: string, given: AttributeValue, binding: NativeBackend['binding']): OpAttribute {
  if ('int' in given) return { name, type: binding.TF_ATTR_INT, value: given.int };
  if ('float' in given) return { name, type: binding.TF_ATTR_FLOAT, value: given.float };
  if ('bool' in given) return { name, type: binding.TF_ATTR_BOOL, value: given.bool };
  if ('text' in given) return { name, type: binding.TF_ATTR_STRING, value: given.text };
  if ('shape' in given) return { name, type: binding.TF_ATTR_SHAPE, value: given.shape };
  return { name, type: binding.TF_ATTR_TYPE, value: binding[TYPE_NAMES[given.type]] };
}
