import { tf, type Tensor, type Variable } from '../tf.js';
import { isGradientTaken, withGradient } from './custom-gradient.js';
import { currentPrecision, inPrecision } from './precision.js';

interface Tape {
  activeTape: unknown;
}

/**
 * Runs a block and keeps only its inputs; what lies between is computed again when the gradient is taken.
 * Trades about a third more time for the memory of the block's inner tensors.
 * Differentiable in the inputs and in `variables`.
 * @param block gives the same values on both runs: random draws inside it start from a fixed seed, and state
 *   (running statistics) is not updated twice
 * @param variables every variable that the block reads and that is to get a gradient
 */
export function checkpoint<Out extends Tensor>(
  block: (...inputs: Tensor[]) => Out,
  inputs: readonly Tensor[],
  variables: readonly Variable[] = [],
): Out {
  const trainable = variables.filter((variable) => variable.trainable);
  const precision = currentPrecision(); // the gradient may be taken outside of it
  return withGradient<Out>([...inputs, ...trainable], (...given) => ({
    value: block(...given.slice(0, inputs.length)),
    saved: given.slice(0, inputs.length),
    backward: (dy, saved) => {
      const wanted = [...saved, ...trainable];
      const gradients = gradientsInside(() => inPrecision(precision, () => block(...saved)), wanted, dy);
      return gradients.map((gradient, index) => gradient ?? (() => tf.zeros(wanted[index]!.shape)));
    },
  }));
}

let isSparing = false;

/** Runs `f`, which takes gradients, so that models keep no more of a block than `checkpoint` does. */
export function withCheckpoints<T>(f: () => T): T {
  const before = isSparing;
  isSparing = true;
  try {
    return f();
  } finally {
    isSparing = before;
  }
}

/** `checkpoint` inside `withCheckpoints` where a gradient is being taken, else the block itself. */
export const checkpointIfAsked = <Out extends Tensor>(
  block: (...inputs: Tensor[]) => Out,
  inputs: readonly Tensor[],
  variables: readonly Variable[],
): Out => (isSparing && isGradientTaken() ? checkpoint(block, inputs, variables) : block(...inputs));

/** Takes gradients while gradients are being taken: the engine's inner pass would throw the outer tape away. */
function gradientsInside(
  f: () => Tensor,
  wanted: readonly Tensor[],
  dy: Tensor,
): (Tensor | null | undefined)[] {
  const engine = tf.engine();
  const state = engine.state as unknown as Tape;
  const outerTape = state.activeTape;
  try {
    // the last argument: an input that the block does not use has no gradient
    return engine.gradients(f, [...wanted], dy, true).grads as (Tensor | null | undefined)[];
  } finally {
    state.activeTape = outerTape;
  }
}
