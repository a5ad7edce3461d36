import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import type { UpdateRule } from './slot.js';

export interface SgdOptions {
  /** Share of the last move that goes on; default 0. */
  readonly momentum?: number;
  /** Share of the gradient that is kept out of the momentum from the second step on; default 0. */
  readonly dampening?: number;
  /** Looks one move ahead; needs momentum and no dampening. Default false. */
  readonly nesterov?: boolean;
}

/** Gradient descent as PyTorch computes it: the momentum starts as the first gradient, and the rate is not in it. */
export function sgdRule({ momentum = 0, dampening = 0, nesterov = false }: SgdOptions): UpdateRule {
  const hasMomentum = momentum !== 0;
  return {
    memory: hasMomentum ? ['momentum'] : [],
    prepare({ rate, weightDecay, count }) {
      const share = hasMomentum && count > 1 ? 1 - dampening : 1;
      const damped = (gradient: Tensor): Tensor => (share === 1 ? gradient : tf.mul(gradient, share));
      const scalars = isNative() ? [rate, momentum].map((number) => tf.scalar(number)) : [];
      return {
        decay: 1,
        coupledDecay: weightDecay,
        compute(value, gradient, [last]) {
          if (!last) return { value: tf.sub(value, tf.mul(gradient, rate)), memory: [] };
          const next = tf.add(tf.mul(last, momentum), damped(gradient));
          const move = nesterov ? tf.add(gradient, tf.mul(next, momentum)) : next;
          return { value: tf.sub(value, tf.mul(move, rate)), memory: [next] };
        },
        fuse: (gradient) =>
          hasMomentum
            ? {
                op: 'ResourceApplyMomentum',
                inputs: [scalars[0]!, damped(gradient), scalars[1]!],
                attributes: { use_nesterov: { bool: nesterov } },
              }
            : { op: 'ResourceApplyGradientDescent', inputs: [scalars[0]!, gradient] },
      };
    },
  };
}
