import { tf, type Tensor } from '../tf.js';

/** Gradient of one input: at hand, or computed only if somebody asks for it (a frozen weight never does). */
export type InputGradient = Tensor | (() => Tensor);

export interface ForwardPass<Out extends Tensor> {
  readonly value: Out;
  /**
   * Tensors that the backward pass reads; kept alive only while a gradient is being taken. As a function: computed
   * only then.
   */
  readonly saved: readonly Tensor[] | (() => readonly Tensor[]);
  /** Gradient of the value's consumer → gradients of the inputs, in their order. */
  readonly backward: (dy: Out, saved: readonly Tensor[]) => readonly InputGradient[];
}

/** What `tf.customGrad` is made of; it would compute the gradients of all inputs, wanted or not. */
interface KernelRunner {
  readonly state: { readonly gradientDepth: number; readonly kernelDepth: number };
  runKernelFunc(kernel: {
    forwardFunc: (backend: unknown, save: (tensors: Tensor[]) => void) => Tensor;
    backwardsFunc: (dy: Tensor, saved: Tensor[]) => Record<string, () => Tensor>;
    inputs: Record<string, Tensor>;
  }): Tensor;
}

/**
 * Runs `forward` over the inputs with a gradient of our own. Tensors made in `forward` live on only as
 * `value` or in `saved`; a tensor that the closure captures may be gone by the time `backward` runs.
 */
export function withGradient<Out extends Tensor>(
  inputs: readonly Tensor[],
  forward: (...inputs: Tensor[]) => ForwardPass<Out>,
): Out {
  let pass: ForwardPass<Out> | undefined;
  const engine = tf.engine() as unknown as KernelRunner;
  const isRecorded = isGradientTaken();
  const value = engine.runKernelFunc({
    inputs: Object.fromEntries(inputs.entries()),
    forwardFunc: (_backend, save) => {
      pass = forward(...inputs);
      if (isRecorded) save([...(typeof pass.saved === 'function' ? pass.saved() : pass.saved)]);
      return pass.value;
    },
    backwardsFunc: (dy, saved) => {
      const gradients = pass!.backward(dy as Out, saved);
      // a copy, since the engine disposes of gradients that it adds up
      const own = (gradient: Tensor): Tensor => (gradient === dy ? tf.clone(gradient) : gradient);
      return Object.fromEntries(
        gradients.map((gradient, index) => [
          index,
          () => own(typeof gradient === 'function' ? gradient() : gradient),
        ]),
      );
    },
  });
  return value as Out;
}

/** The engine's own rule: a gradient is being taken, and not inside another op. */
export function isGradientTaken(): boolean {
  const { gradientDepth, kernelDepth } = (tf.engine() as unknown as KernelRunner).state;
  return gradientDepth > 0 && kernelDepth === 0;
}
