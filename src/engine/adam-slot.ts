import { isNative } from './engine.js';
import { rawOp } from './ops/raw.js';
import { tf, type Tensor, type Variable } from './tf.js';

/** Numbers of one Adam step; the corrections are those of the step's count, 1 for the first. */
export interface AdamStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** The variable is multiplied by this before the step (decoupled weight decay); 1 for none. */
  readonly decay: number;
  /** Count of this step, 1 for the first. */
  readonly count: number;
}

/** The numbers of a step as the engine wants them: made once a step, used by all its variables. */
export interface PreparedAdamStep extends AdamStep {
  /** Of the fused op, in its order; empty on engines without it. */
  readonly scalars: readonly Tensor[];
}

/** The scalars belong to the caller's scope. */
export function prepareAdamStep(step: AdamStep): PreparedAdamStep {
  if (!isNative()) return { ...step, scalars: [] };
  const { learningRate, beta1, beta2, epsilon, count } = step;
  const power1 = beta1 ** count;
  const power2 = beta2 ** count;
  // TensorFlow adds ε to √v before the correction, PyTorch after it
  const numbers = [power1, power2, learningRate, beta1, beta2, epsilon * Math.sqrt(1 - power2)];
  return { ...step, scalars: numbers.map((number) => tf.scalar(number)) };
}

/** First and second moment of one variable, and the rule that moves it. */
export interface AdamSlot {
  /** The gradient stays with the caller. */
  apply(gradient: Tensor, step: PreparedAdamStep): void;
  dispose(): void;
}

/**
 * Adam as PyTorch computes it: value ← decay · value − learningRate · m̂ / (√v̂ + ε), with m̂ and v̂ corrected
 * for their zero start. One fused op on the native engine, small ops elsewhere.
 */
export const createAdamSlot = (variable: Variable): AdamSlot =>
  isNative() ? fusedSlot(variable) : composedSlot(variable);

function composedSlot(variable: Variable): AdamSlot {
  // kept: a step is often taken inside a scope that disposes of what it finds
  let mean: Tensor = tf.keep(tf.zeros(variable.shape));
  let square: Tensor = tf.keep(tf.zeros(variable.shape));
  return {
    apply(gradient, { learningRate, beta1, beta2, epsilon, decay, count }) {
      const [nextMean, nextSquare] = tf.tidy(() => {
        const newMean = tf.add(tf.mul(mean, beta1), tf.mul(gradient, 1 - beta1));
        const newSquare = tf.add(tf.mul(square, beta2), tf.mul(tf.square(gradient), 1 - beta2));
        const spread = tf.add(tf.div(tf.sqrt(newSquare), Math.sqrt(1 - beta2 ** count)), epsilon);
        const move = tf.mul(tf.div(newMean, spread), learningRate / (1 - beta1 ** count));
        variable.assign(tf.sub(tf.mul(variable, decay), move));
        return [newMean, newSquare];
      });
      tf.dispose([mean, square]);
      mean = tf.keep(nextMean!);
      square = tf.keep(nextSquare!);
    },
    dispose: () => tf.dispose([mean, square]),
  };
}

let resourceCount = 0;

function fusedSlot(variable: Variable): AdamSlot {
  const { shape } = variable;
  const type = { dtype: { type: 'float32' } } as const;
  const handle = (): Tensor => {
    const name = `adam-${process.pid}-${resourceCount++}`;
    const attributes = { ...type, shape: { shape }, container: { text: '' }, shared_name: { text: name } };
    return tf.keep(rawOp('VarHandleOp', [], attributes)[0]!);
  };
  const assign = (target: Tensor, value: Tensor): void =>
    void rawOp('AssignVariableOp', [target, value], type, 0);
  const value = handle();
  const mean = handle();
  const square = handle();
  tf.tidy(() => {
    assign(mean, tf.zeros(shape));
    assign(square, tf.zeros(shape));
  });
  return {
    apply(gradient, { decay, scalars }) {
      tf.tidy(() => {
        assign(value, decay === 1 ? variable : tf.mul(variable, decay));
        const attributes = {
          T: { type: 'float32' },
          use_locking: { bool: false },
          use_nesterov: { bool: false },
        } as const;
        rawOp('ResourceApplyAdam', [value, mean, square, ...scalars, gradient], attributes, 0);
        variable.assign(rawOp('ReadVariableOp', [value], type)[0]!);
      });
    },
    dispose() {
      for (const resource of [value, mean, square]) {
        rawOp('DestroyResourceOp', [resource], { ignore_lookup_error: { bool: true } }, 0);
        resource.dispose();
      }
    },
  };
}
