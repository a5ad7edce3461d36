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
    Readonly<Record<'TF_FLOAT' | 'TF_INT32' | 'TF_INT64' | 'TF_BOOL', number>> & {
      executeOp(name: string, attributes: OpAttribute[], inputs: number[], outputs: number): MadeTensor[];
    };
  executeMultipleOutputs(
    name: string,
    attributes: OpAttribute[],
    inputs: Tensor[],
    outputs: number,
  ): Tensor[];
  getInputTensorIds(inputs: Tensor[]): number[];
  createOutputTensor(made: MadeTensor): Tensor;
}

/** What the binding tells of an output. */
interface MadeTensor {
  readonly id: number;
  readonly shape: number[];
  readonly dtype: number;
}

type AttributeValue =
  | { readonly int: number | readonly number[] }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly shape: readonly number[] }
  /** The type float32 as many times. */
  | { readonly floats: number }
  | { readonly type: 'float32' | 'int32' | 'int64' | 'bool' | 'bfloat16' };

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

/** TensorFlow's number of the type, which the binding has no name for. */
const BFLOAT16 = 14;

/**
 * `rawOp` of one output in bfloat16. TensorFlow.js does not know the type: the tensor says that it is float32, and only
 * raw ops may take it.
 */
export function bfloat16Op(name: string, inputs: readonly Tensor[], attributes: OpAttributes): Tensor {
  const backend = tf.backend() as unknown as NativeBackend;
  const { binding } = backend;
  const list = Object.entries(attributes).map(([key, value]) => toAttribute(key, value, binding));
  const [made] = binding.executeOp(name, list, backend.getInputTensorIds([...inputs]), 1);
  return backend.createOutputTensor({ ...made!, dtype: binding.TF_FLOAT });
}

const TYPE_NAMES = { float32: 'TF_FLOAT', int32: 'TF_INT32', int64: 'TF_INT64', bool: 'TF_BOOL' } as const;

function toAttribute(name: string, given: AttributeValue, binding: NativeBackend['binding']): OpAttribute {
  if ('int' in given) return { name, type: binding.TF_ATTR_INT, value: given.int };
  if ('float' in given) return { name, type: binding.TF_ATTR_FLOAT, value: given.float };
  if ('bool' in given) return { name, type: binding.TF_ATTR_BOOL, value: given.bool };
  if ('text' in given) return { name, type: binding.TF_ATTR_STRING, value: given.text };
  if ('floats' in given) {
    const types = Array.from({ length: given.floats }, () => binding.TF_FLOAT);
    return { name, type: binding.TF_ATTR_TYPE, value: types };
  }
  if ('texts' in given) return { name, type: binding.TF_ATTR_STRING, value: given.texts };
  if ('shape' in given) return { name, type: binding.TF_ATTR_SHAPE, value: given.shape };
  const type = given.type === 'bfloat16' ? BFLOAT16 : binding[TYPE_NAMES[given.type]];
  return { name, type: binding.TF_ATTR_TYPE, value: type };
}
