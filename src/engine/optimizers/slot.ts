import { isNative } from '../engine.js';
import { rawOp, type OpAttributes } from '../ops/raw.js';
import { tf, type Tensor, type Variable } from '../tf.js';
import { createResource } from './resource.js';

/** Numbers of one step, the same for all parameters of a group. */
export interface StepNumbers {
  /** Learning rate. */
  readonly rate: number;
  readonly weightDecay: number;
  /** 1 for the first step. */
  readonly count: number;
}

/** A step in small ops. */
export interface ComposedStep {
  readonly value: Tensor;
  /** In the order of the rule's `memory`. */
  readonly memory: readonly Tensor[];
}

/** A step as one op of the native engine: after the resources come these inputs. */
export interface FusedStep {
  readonly op: string;
  readonly inputs: readonly Tensor[];
  readonly attributes?: OpAttributes;
}

/** How an optimiser moves one parameter; all of it runs inside a tidy. */
export interface UpdateRule {
  /** Names of what it remembers of a parameter; all start as zeros. */
  readonly memory: readonly string[];
  /** Once a step and group. */
  readonly prepare: (numbers: StepNumbers) => PreparedStep;
}

export interface PreparedStep {
  /** Factor of the value before the step; 1 for none. */
  readonly decay: number;
  /** Added to the gradient, as a share of the value; 0 for none. */
  readonly coupledDecay: number;
  readonly compute: (value: Tensor, gradient: Tensor, memory: readonly Tensor[]) => ComposedStep;
  readonly fuse: (gradient: Tensor) => FusedStep;
}

/** What an optimiser remembers of one parameter, and how it moves it. */
export interface OptimizerSlot {
  /** The gradient stays with the caller. */
  apply(gradient: Tensor, step: PreparedStep): void;
  /** What is remembered, by name, each with as many values as the parameter. */
  state(): Record<string, Float32Array>;
  /** Puts such values back. */
  restore(state: Readonly<Record<string, Float32Array>>): void;
  dispose(): void;
}

/** One fused op a step on the native engine, small ops elsewhere. */
export const createSlot = (variable: Variable, names: readonly string[]): OptimizerSlot =>
  isNative() ? fusedSlot(variable, names) : composedSlot(variable, names);

function composedSlot(variable: Variable, names: readonly string[]): OptimizerSlot {
  // kept: a step is often taken inside a scope that disposes of what it finds
  let memory: Tensor[] = names.map(() => tf.keep(tf.zeros(variable.shape)));
  const replace = (next: readonly Tensor[]): void => {
    tf.dispose(memory);
    memory = next.map((tensor) => tf.keep(tensor));
  };
  return {
    apply(gradient, step) {
      const next = tf.tidy(() => {
        const slope = withDecay(gradient, variable, step);
        const moved = step.compute(decayed(variable, step), slope, memory);
        variable.assign(moved.value);
        // an untouched gradient would still be the caller's
        return moved.memory.map((tensor) => (tensor === gradient ? tf.clone(tensor) : tensor));
      });
      replace(next);
    },
    state: () => named(names, memory),
    restore: (state) => replace(names.map((name) => tf.tensor(state[name]!, variable.shape))),
    dispose: () => tf.dispose(memory),
  };
}

function fusedSlot(variable: Variable, names: readonly string[]): OptimizerSlot {
  const { shape } = variable;
  const value = createResource(shape);
  const memory = names.map(() => createResource(shape));
  tf.tidy(() => memory.forEach((resource) => resource.assign(tf.zeros(shape))));
  const handles = [value, ...memory].map(({ handle }) => handle);
  return {
    apply(gradient, step) {
      tf.tidy(() => {
        const { op, inputs, attributes } = step.fuse(withDecay(gradient, variable, step));
        value.assign(decayed(variable, step));
        const shared = { T: { type: 'float32' }, use_locking: { bool: false } } as const;
        rawOp(op, [...handles, ...inputs], { ...shared, ...attributes }, 0);
        variable.assign(value.read());
      });
    },
    state: () =>
      tf.tidy(() => {
        const values = memory.map((resource) => resource.read());
        return named(names, values);
      }),
    restore(state) {
      tf.tidy(() => {
        for (const [index, name] of names.entries()) memory[index]!.assign(tf.tensor(state[name]!, shape));
      });
    },
    dispose: () => [value, ...memory].forEach((resource) => resource.dispose()),
  };
}

const decayed = (variable: Variable, { decay }: PreparedStep): Tensor =>
  decay === 1 ? variable : tf.mul(variable, decay);

const withDecay = (gradient: Tensor, variable: Variable, { coupledDecay }: PreparedStep): Tensor =>
  coupledDecay === 0 ? gradient : tf.add(gradient, tf.mul(variable, coupledDecay));

const named = (names: readonly string[], tensors: readonly Tensor[]): Record<string, Float32Array> =>
  Object.fromEntries(names.map((name, index) => [name, tensors[index]!.dataSync<'float32'>().slice()]));
