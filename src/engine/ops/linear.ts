import { sizeOf } from '../../shapes.js';
import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor2D } from '../tf.js';
import { gelu } from './activations-smooth.js';
import { isGradientTaken, withGradient } from './custom-gradient.js';
import { hasKernel, linearKernel, productKernel, type ProductKernelOptions } from './onednn.js';
import { currentPrecision, type Precision } from './precision.js';
import { rawOp } from './raw.js';

/**
 * x · kernel (+ bias) over the last axis, then the activation. Differentiable in all three; a gradient nobody asks for
 * is not computed.
 * @param x [..., in]
 * @param kernel [in, out]
 * @param bias [out]
 * @returns [..., out]
 */
export function linear(x: Tensor, kernel: Tensor, bias?: Tensor, activation?: 'gelu'): Tensor {
  // the slope of the activation is taken where its input is at hand
  if (activation && (isGradientTaken() || !hasKernel('linear'))) return gelu(linear(x, kernel, bias));
  const [inSize, outSize] = kernel.shape as [number, number];
  const lead = x.shape.slice(0, -1);
  const precision = currentPrecision();
  const asRows = (t: Tensor, size: number): Tensor2D =>
    t.rank === 2 ? (t as Tensor2D) : t.reshape([sizeOf(lead), size]);
  return withGradient(bias ? [x, kernel, bias] : [x, kernel], (input, weights, offset) => {
    const value = forward(asRows(input!, inSize), weights as Tensor2D, offset, activation, precision);
    return {
      value: lead.length === 1 ? value : value.reshape([...lead, outSize]),
      saved: [input!, weights!],
      backward: (dy, [savedInput, savedWeights]) => [
        () =>
          product(asRows(dy, outSize), savedWeights as Tensor2D, { precision, transposeB: true }).reshape(
            savedInput!.shape,
          ),
        () => product(asRows(savedInput!, inSize), asRows(dy, outSize), { precision, transposeA: true }),
        ...(offset ? [() => sumToChannels(dy)] : []),
      ],
    };
  });
}

function forward(
  x: Tensor2D,
  kernel: Tensor2D,
  bias: Tensor | undefined,
  activation: 'gelu' | undefined,
  precision: Precision,
): Tensor {
  if (hasKernel('linear') && (bias || activation)) {
    return linearKernel(x, kernel, bias ?? tf.zeros([kernel.shape[1]]), { activation, precision });
  }
  const y = product(x, kernel, { precision });
  return bias ? addToChannels(y, bias) : y;
}

/** Of two matrices, in the engine's fastest form. */
const product = (a: Tensor2D, b: Tensor2D, options: ProductKernelOptions): Tensor =>
  hasKernel('product')
    ? productKernel(a, b, options)
    : tf.matMul(a, b, options.transposeA, options.transposeB);

/**
 * Adds one value a channel. Differentiable in both.
 * @param x [..., channels]
 * @param bias [channels]
 */
export const addBias = <T extends Tensor>(x: T, bias: Tensor): T =>
  withGradient<T>([x, bias], (input, offset) => ({
    value: addToChannels(input!, offset!) as T,
    saved: [],
    backward: (dy) => [dy, () => sumToChannels(dy)],
  }));

const addToChannels = (x: Tensor, bias: Tensor): Tensor =>
  isNative() && x.rank > 1 ? rawOp('BiasAdd', [x, bias], BIAS_ATTRIBUTES)[0]! : tf.add(x, bias);

/** Sum over all axes but the last: [..., channels] → [channels]. No gradient of its own. */
export const sumToChannels = (x: Tensor): Tensor =>
  isNative() && x.rank > 1
    ? rawOp('BiasAddGrad', [x], BIAS_ATTRIBUTES)[0]!
    : tf.sum(x.reshape([-1, x.shape.at(-1)!]), 0);

const BIAS_ATTRIBUTES = { T: { type: 'float32' }, data_format: { text: 'NHWC' } } as const;

export interface MatMulOptions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

/**
 * Product of the last two axes; leading axes match, or one side has size 1 or lacks them. Differentiable in both.
 * @param a [..., rows, inner], or [..., inner, rows] with transposeA
 * @param b [..., inner, columns], or [..., columns, inner] with transposeB
 * @returns [..., rows, columns]
 */
export function matMul(
  a: Tensor,
  b: Tensor,
  { transposeA = false, transposeB = false }: MatMulOptions = {},
): Tensor {
  if (b.rank === 2 && a.rank > 2 && !transposeA) {
    return tf.tidy(() => linear(a, transposeB ? tf.transpose(b) : b));
  }
  const leadA = a.shape.slice(0, -2);
  const leadB = b.shape.slice(0, -2);
  if (leadA.join() === leadB.join()) return tf.matMul(a, b, transposeA, transposeB);
  return tf.tidy(() => {
    const lead = tf.broadcast_util.assertAndGetBroadcastShape(leadA, leadB);
    const widen = (t: Tensor): Tensor => tf.broadcastTo(t, [...lead, ...t.shape.slice(-2)] as never);
    return tf.matMul(widen(a), widen(b), transposeA, transposeB);
  });
}
