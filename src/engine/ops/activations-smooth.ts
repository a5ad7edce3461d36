import { tf, type Tensor } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { fusedGelu, fusedGeluGradient, fusedSoftmaxGradient, hasFusedKernels } from './fused.js';
import { hasKernel, softmaxKernel } from './onednn.js';

/** x · Φ(x) with the exact normal distribution (erf). Any shape; differentiable. */
export const gelu = <T extends Tensor>(x: T): T => (hasFusedKernels() ? geluInOnePass(x) : composedGelu(x));

/** The input is kept rather than the slope: its gradient is one pass as well. */
const geluInOnePass = <T extends Tensor>(x: T): T =>
  withGradient<T>([x], (input) => ({
    value: fusedGelu(input!) as T,
    saved: [input!],
    backward: (dy, [savedInput]) => [fusedGeluGradient(dy, savedInput!)],
  }));

const composedGelu = <T extends Tensor>(x: T): T =>
  withSlope(x, (input) => {
    // Φ(x) = (1 + erf(x / √2)) / 2
    const scaled = tf.mul(input, Math.SQRT1_2);
    const share = tf.mul(tf.add(tf.erf(scaled), 1), 0.5);
    return {
      value: tf.mul(input, share),
      // Φ(x) + x · e^(−x² / 2) / √2π
      slope: () => {
        const bell = tf.exp(tf.neg(tf.square(scaled)));
        return tf.add(share, tf.mul(tf.mul(input, bell), 1 / Math.sqrt(2 * Math.PI)));
      },
    };
  });

/** The slope is computed on the way forth, where its parts are at hand, and only if a gradient is being taken. */
const withSlope = <T extends Tensor>(
  x: T,
  f: (x: Tensor) => { readonly value: Tensor; readonly slope: () => Tensor },
): T =>
  withGradient<T>([x], (input) => {
    const { value, slope } = f(input!);
    return {
      value: value as T,
      saved: () => [slope()],
      backward: (dy, [savedSlope]) => [tf.mul(dy, savedSlope!)],
    };
  });

/** The tanh approximation of GELU. Any shape; differentiable. */
export const geluTanh = <T extends Tensor>(x: T): T =>
  withSlope(x, (input) => {
    const square = tf.square(input);
    // √(2 / π) · (x + 0.044715 x³)
    const curve = tf.tanh(tf.mul(tf.mul(input, tf.add(tf.mul(square, 0.044715), 1)), TANH_SCALE));
    const share = tf.mul(tf.add(curve, 1), 0.5);
    return {
      value: tf.mul(input, share),
      slope: () => {
        const inner = tf.mul(tf.add(tf.mul(square, 3 * 0.044715), 1), TANH_SCALE / 2);
        const bend = tf.mul(tf.mul(input, tf.sub(1, tf.square(curve))), inner);
        return tf.add(share, bend);
      },
    };
  });

const TANH_SCALE = Math.sqrt(2 / Math.PI);

/** x · sigmoid(1.702 x), CLIP's GELU. Any shape; differentiable. */
export const quickGelu = <T extends Tensor>(x: T): T => gatedBySigmoid(x, 1.702);

/** x · sigmoid(x), also called swish. Any shape; differentiable. */
export const silu = <T extends Tensor>(x: T): T => gatedBySigmoid(x, 1);

/** y = x · σ(factor · x); its slope is σ + factor · y · (1 − σ). */
const gatedBySigmoid = <T extends Tensor>(x: T, factor: number): T =>
  withSlope(x, (input) => {
    const times = (t: Tensor): Tensor => (factor === 1 ? t : tf.mul(t, factor));
    const gate = tf.sigmoid(times(input));
    const value = tf.mul(input, gate);
    return { value, slope: () => tf.add(gate, times(tf.mul(value, tf.sub(1, gate)))) };
  });

/** 1 / (1 + e^−x). Any shape; differentiable. */
export const sigmoid = <T extends Tensor>(x: T): T => tf.sigmoid(x);

/** tanh(x). Any shape; differentiable. */
export const tanh = <T extends Tensor>(x: T): T => tf.tanh(x);

/** e^x divided by its sum along an axis (default the last). Differentiable. */
export const softmax = <T extends Tensor>(x: T, axis = -1): T => alongLastAxis(x, axis, softmaxOfRows);

function softmaxOfRows(x: Tensor): Tensor {
  if (!hasKernel('softmax')) return tf.softmax(x);
  return withGradient([x], (input) => {
    const y = softmaxKernel(input!);
    return {
      value: y,
      saved: [y],
      backward: (dy, [out]) => {
        if (hasFusedKernels()) return [fusedSoftmaxGradient(dy, out!)];
        const along = tf.mul(dy, out!);
        return [tf.sub(along, tf.mul(tf.sum(along, -1, true), out!))];
      },
    };
  });
}

/** x − log Σ e^x along an axis (default the last). Differentiable. */
export const logSoftmax = <T extends Tensor>(x: T, axis = -1): T =>
  alongLastAxis(x, axis, (t) => tf.logSoftmax(t));

/** tfjs has both for the last axis only. */
function alongLastAxis<T extends Tensor>(x: T, axis: number, f: (x: Tensor) => Tensor): T {
  const at = axis < 0 ? axis + x.rank : axis;
  if (at === x.rank - 1) return f(x) as T;
  const order = x.shape.map((_, a) => a);
  [order[at], order[x.rank - 1]] = [x.rank - 1, at];
  return tf.tidy(() => tf.transpose(f(tf.transpose(x, order)), order) as T);
}
