import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import type { Precision } from './precision.js';
import { bfloat16Op, rawOp, type OpAttributes } from './raw.js';

/**
 * Kernels of oneDNN that TensorFlow has for its graph compiler alone and runs by their names as well: one pass over the
 * data where ops of the public interface need several.
 */
type Kernel = 'softmax' | 'layer-norm' | 'product' | 'linear' | 'linear-bfloat16' | 'convolution';

/** Which of the two registrations of a kernel is meant: most carry a label. */
const LABELLED = { _kernel: { text: 'MklNameChangeOp' } } as const;
const UNLABELLED = { _kernel: { text: '' } } as const;

const known = new Map<Kernel, boolean>();

/**
 * Whether this engine runs the kernel: each is tried once a thread. A GPU, an addon of an older version and a
 * TensorFlow that dropped it do not.
 */
export function hasKernel(kernel: Kernel): boolean {
  if (!isNative()) return false;
  let answer = known.get(kernel);
  if (answer === undefined) {
    const isOnGpu = (tf.backend() as unknown as { isUsingGpuDevice: boolean }).isUsingGpuDevice;
    answer = !isOnGpu && runs(kernel);
    known.set(kernel, answer);
  }
  return answer;
}

function runs(kernel: Kernel): boolean {
  const x = tf.ones([2, 2]);
  const one = tf.ones([2]);
  try {
    tf.dispose(TRIALS[kernel](x, one));
    return true;
  } catch {
    return false; // the name, the type or the attribute is unknown
  } finally {
    tf.dispose([x, one]);
  }
}

const TRIALS: Readonly<Record<Kernel, (x: Tensor, one: Tensor) => Tensor>> = {
  softmax: (x) => softmaxKernel(x),
  'layer-norm': (x, one) => layerNormKernel(x, one, one, 1),
  product: (x) => productKernel(x, x, { precision: 'float32' }),
  linear: (x, one) => linearKernel(x, x, one, { activation: 'gelu', precision: 'float32' }),
  'linear-bfloat16': (x, one) => linearKernel(x, x, one, { activation: 'gelu', precision: 'bfloat16' }),
  convolution: (x, one) => trialConvolution(x, one),
};

const trialConvolution = (x: Tensor, one: Tensor): Tensor => {
  const norm = { scale: one, offset: one, mean: one, variance: one, epsilon: 1 };
  const geometry = { stride: 1, dilation: 1, padding: NO_PADDING, isClipped: true };
  return tf.tidy(() => {
    const image = x.reshape([1, 1, 2, 2]);
    const y = convolutionKernel(image, image, norm, geometry);
    return convolutionKernel(y, image, norm, { ...geometry, added: image });
  });
};

/** Over the last axis. */
export const softmaxKernel = (x: Tensor): Tensor =>
  ofRank(x, 1, 5, (t) => rawOp('_MklSoftmax', [t], { T: FLOAT, ...LABELLED })[0]!);

/** Over the last axis; scale and offset [channels]. */
export function layerNormKernel(x: Tensor, scale: Tensor, offset: Tensor, epsilon: number): Tensor {
  const attributes: OpAttributes = { T: FLOAT, epsilon: { float: epsilon }, ...UNLABELLED };
  return ofRank(x, 2, 3, (t) => rawOp('_MklLayerNorm', [t, scale, offset], attributes)[0]!);
}

/** The kernel on x itself if it takes tensors of that rank, else on its rows. */
function ofRank(x: Tensor, least: number, most: number, kernel: (x: Tensor) => Tensor): Tensor {
  if (x.rank >= least && x.rank <= most) return kernel(x);
  return tf.tidy(() => kernel(x.reshape([-1, x.shape.at(-1)!])).reshape(x.shape));
}

export interface ProductKernelOptions {
  /** Of factors and results; sums are float32. */
  readonly precision: Precision;
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

/** a · b of two matrices, each transposed first where that is asked for. */
export function productKernel(
  a: Tensor,
  b: Tensor,
  { precision, transposeA = false, transposeB = false }: ProductKernelOptions,
): Tensor {
  return run('_MklMatMul', [a, b], precision, {
    transpose_a: { bool: transposeA },
    transpose_b: { bool: transposeB },
  });
}

export interface LinearKernelOptions {
  readonly activation?: 'gelu' | undefined;
  /** Of factors and results; sums are float32. */
  readonly precision: Precision;
}

/** x [rows, in] · kernel [in, out] + bias [out], then the activation: [rows, out]. */
export function linearKernel(
  x: Tensor,
  kernel: Tensor,
  bias: Tensor,
  { activation, precision }: LinearKernelOptions,
): Tensor {
  return run('_MklNativeFusedMatMul', [x, kernel, bias], precision, {
    transpose_a: { bool: false },
    transpose_b: { bool: false },
    num_args: { int: 1 },
    fused_ops: { texts: ['BiasAdd', ...(activation ? ['GeluExact'] : [])] },
    epsilon: { float: 0 },
    leakyrelu_alpha: { float: 0 },
  });
}

/** Batch normalisation with given statistics, all [channels]. */
export interface GivenNormalization {
  readonly scale: Tensor;
  readonly offset: Tensor;
  readonly mean: Tensor;
  readonly variance: Tensor;
  readonly epsilon: number;
}

export interface ConvolutionKernelOptions {
  readonly stride: number;
  readonly dilation: number;
  /** [[top, bottom], [left, right]] */
  readonly padding: readonly [readonly [number, number], readonly [number, number]];
  /** Whether negative results become 0. */
  readonly isClipped: boolean;
  /** Of the result's shape, added to it before that. */
  readonly added?: Tensor | undefined;
}

const NO_PADDING = [
  [0, 0],
  [0, 0],
] as const;

/** x [batch, height, width, channels] ∗ filter [rows, columns, channels, out], normalised: [batch, …, out]. */
export function convolutionKernel(
  x: Tensor,
  filter: Tensor,
  { scale, offset, mean, variance, epsilon }: GivenNormalization,
  { stride, dilation, padding, isClipped, added }: ConvolutionKernelOptions,
): Tensor {
  const attributes = { stride, dilation, padding, isClipped };
  if (!added) {
    const fusions = { names: ['FusedBatchNorm'], epsilon };
    return convolve([x, filter, scale, offset, mean, variance], fusions, attributes);
  }
  // there is no kernel with both: the filter takes the normalisation in
  return tf.tidy(() => {
    const factor = tf.mul(scale, tf.rsqrt(tf.add(variance, epsilon)));
    const bias = tf.sub(offset, tf.mul(mean, factor));
    const fusions = { names: ['BiasAdd', 'Add'], epsilon: 0 };
    return convolve([x, tf.mul(filter, factor), bias, added], fusions, attributes);
  });
}

function convolve(
  inputs: readonly Tensor[],
  { names, epsilon }: { readonly names: readonly string[]; readonly epsilon: number },
  { stride, dilation, padding, isClipped }: ConvolutionKernelOptions,
): Tensor {
  const sides = padding.flat();
  const isPadded = sides.some((side) => side > 0);
  const others = inputs.length - 2;
  return run('_MklNativeFusedConv2D', inputs, 'float32', {
    num_args: { int: others },
    TArgs: { floats: others },
    strides: { int: [1, stride, stride, 1] },
    dilations: { int: [1, dilation, dilation, 1] },
    padding: { text: isPadded ? 'EXPLICIT' : 'VALID' },
    explicit_paddings: { int: isPadded ? [0, 0, ...sides, 0, 0] : [] },
    data_format: { text: 'NHWC' },
    fused_ops: { texts: [...names, ...(isClipped ? ['Relu'] : [])] },
    epsilon: { float: epsilon },
    leakyrelu_alpha: { float: 0 },
  });
}

/** Inputs and output are float32, whatever is computed in. */
function run(
  name: string,
  inputs: readonly Tensor[],
  precision: Precision,
  attributes: OpAttributes,
): Tensor {
  const all: OpAttributes = { T: { type: precision }, ...attributes, ...LABELLED };
  if (precision === 'float32') return rawOp(name, inputs, all)[0]!;
  return tf.tidy(() => fromBfloat16(bfloat16Op(name, inputs.map(toBfloat16), all)));
}

const FLOAT = { type: 'float32' } as const;
const BFLOAT16 = { type: 'bfloat16' } as const;

const toBfloat16 = (x: Tensor): Tensor =>
  bfloat16Op('Cast', [x], { SrcT: FLOAT, DstT: BFLOAT16, Truncate: { bool: false } });

const fromBfloat16 = (x: Tensor): Tensor =>
  rawOp('Cast', [x], { SrcT: BFLOAT16, DstT: FLOAT, Truncate: { bool: false } })[0]!;
