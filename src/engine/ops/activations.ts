import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/** max(x, 0) of any shape. */
export const relu = <T extends Tensor>(x: T): T => clipped(x, 'Relu', Infinity);

/** min(max(x, 0), 6) of any shape. */
export const relu6 = <T extends Tensor>(x: T): T => clipped(x, 'Relu6', 6);

function clipped<T extends Tensor>(x: T, name: 'Relu' | 'Relu6', top: number): T {
  const attributes = { T: { type: 'float32' } } as const;
  return withGradient<T>([x], (input) => {
    const y = isNative() ? rawOp(name, [input!], attributes)[0]! : composed(input!, top);
    return {
      value: y as T,
      saved: [y],
      backward: (dy, [out]) => [
        isNative() ? rawOp(`${name}Grad`, [dy, out!], attributes)[0]! : masked(dy, out!, top),
      ],
    };
  });
}

const composed = (x: Tensor, top: number): Tensor =>
  top === Infinity ? tf.maximum(x, 0) : tf.clipByValue(x, 0, top);

const masked = (dy: Tensor, out: Tensor, top: number): Tensor =>
  tf.where(tf.logicalAnd(tf.greater(out, 0), tf.less(out, top)), dy, tf.zerosLike(dy));
