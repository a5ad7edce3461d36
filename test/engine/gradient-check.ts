import { expect, it } from 'vitest';
import { tf, type Tensor } from '../../src/engine/tf.js';
import { describeBackends, onBackend, type Backend } from './backends.js';

/** An argument of the op under test. */
export interface OpInput {
  readonly shape: readonly number[];
  /**
   * `normal`: standard normal. `spaced`: a shuffled ramp with steps of 0.25, so that no two elements and no
   * element and 0 come closer than the largest step of the differences (2/32): for maxima and kinks.
   * Numbers: as given; no gradient is checked.
   */
  readonly values?: 'normal' | 'spaced' | readonly number[];
  readonly dtype?: 'float32' | 'int32';
}

export interface OpCase {
  readonly name: string;
  readonly inputs: readonly OpInput[];
  readonly run: (...inputs: Tensor[]) => Tensor;
  /** Forward only: for ops without gradient. */
  readonly forwardOnly?: boolean;
}

/**
 * Step of the differences. The five-point rule errs by h⁴/30 · f⁗′ (3e-8 · f⁗′) and by rounding: outputs of size 1
 * carry 6e-8 each, divided by h = 1/32 that is 2e-6 an output, about 2e-5 over the hundred outputs of a case.
 */
const STEP = 1 / 32;

/** Ten times the rounding above, relative to the largest gradient (at least 1). */
const GRADIENT_TOLERANCE = 2e-4;

/** Float32 sums of up to a few hundred products in another order: about 1e-6; erf differs by 1.5e-7 (tfjs' series). */
const FORWARD_TOLERANCE = 1e-5;

/** For every case and backend: the values of the `cpu` backend, the gradient of the differences, no tensor left. */
export function checkOps(area: string, cases: readonly OpCase[]): void {
  describeBackends(area, (backend) => {
    for (const op of cases) {
      if (backend !== 'cpu') it(`${op.name} computes what cpu computes`, () => checkForward(op, backend));
      if (!op.forwardOnly)
        it(`${op.name} has the gradient of its differences`, () => checkGradient(op, backend));
      it(`${op.name} leaves one tensor behind, its result`, () => checkTensorCount(op, backend));
    }
  });
}

function checkForward(op: OpCase, backend: Backend): void {
  const expected = onBackend('cpu', () => evaluate(op, inputValues(op)));
  const actual = onBackend(backend, () => evaluate(op, inputValues(op)));
  expect(actual.shape).toEqual(expected.shape);
  expect(largestDifference(actual.values, expected.values)).toBeLessThan(
    FORWARD_TOLERANCE * largest(expected.values),
  );
}

function checkGradient(op: OpCase, backend: Backend): void {
  onBackend(backend, () => {
    const values = inputValues(op);
    const { values: y, shape } = evaluate(op, values);
    const weights = normal(y.length, 99);
    const gradients = analyticGradients(op, values, weights, shape);
    for (const [position, index] of differentiable(op).entries()) {
      const numeric = numericGradient(op, values, weights, index);
      const difference = largestDifference(gradients[position]!, numeric);
      expect(difference, `gradient of input ${index}`).toBeLessThan(GRADIENT_TOLERANCE * largest(numeric));
    }
  });
}

function checkTensorCount(op: OpCase, backend: Backend): void {
  onBackend(backend, () => {
    const inputs = makeTensors(op, inputValues(op));
    const before = tf.memory().numTensors;
    const y = op.run(...inputs);
    expect(tf.memory().numTensors).toBe(before + 1);
    y.dispose();
    tf.dispose(inputs);
  });
}

/** Gradients of Σ weights · y for the inputs that have one. */
export function analyticGradients(
  op: OpCase,
  values: readonly Float32Array[],
  weights: Float32Array,
  shape: readonly number[],
): Float32Array[] {
  return tf.tidy(() => {
    const inputs = makeTensors(op, values);
    const indices = differentiable(op);
    const f = (...moved: Tensor[]): Tensor => {
      const all = [...inputs];
      for (const [position, index] of indices.entries()) all[index] = moved[position]!;
      return op.run(...all);
    };
    const dy = tf.tensor(weights.slice(), [...shape]);
    const gradients = tf.grads(f)(
      indices.map((index) => inputs[index]!),
      dy,
    );
    return gradients.map((gradient, position) => {
      expect(gradient.shape).toEqual(op.inputs[indices[position]!]!.shape);
      return gradient.dataSync<'float32'>();
    });
  });
}

function numericGradient(
  op: OpCase,
  values: readonly Float32Array[],
  weights: Float32Array,
  index: number,
): Float32Array {
  const gradient = new Float32Array(values[index]!.length);
  for (let element = 0; element < gradient.length; element++) {
    const at = (steps: number): number => {
      const moved = values.map((list, i) => (i === index ? list.slice() : list));
      moved[index]![element]! += steps * STEP;
      // summed in float64: the sum itself adds no rounding
      return evaluate(op, moved).values.reduce((sum, y, i) => sum + y * weights[i]!, 0);
    };
    gradient[element] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * STEP);
  }
  return gradient;
}

const differentiable = (op: OpCase): number[] =>
  op.inputs.flatMap((input, index) => (isGiven(input) ? [] : [index]));

const isGiven = (input: OpInput): boolean => typeof input.values === 'object';

export function evaluate(
  op: OpCase,
  values: readonly Float32Array[],
): { readonly values: Float32Array; readonly shape: number[] } {
  return tf.tidy(() => {
    const y = op.run(...makeTensors(op, values));
    return { values: Float32Array.from(y.dataSync()), shape: y.shape };
  });
}

const makeTensors = (op: OpCase, values: readonly Float32Array[]): Tensor[] =>
  op.inputs.map((input, index) =>
    input.dtype === 'int32'
      ? tf.tensor(Int32Array.from(values[index]!), [...input.shape], 'int32')
      : tf.tensor(values[index]!.slice(), [...input.shape], 'float32'),
  );

export function inputValues(op: OpCase): Float32Array[] {
  return op.inputs.map((input, index) => {
    const size = input.shape.reduce((a, b) => a * b, 1);
    if (typeof input.values === 'object') return Float32Array.from(input.values);
    return input.values === 'spaced' ? spaced(size, index + 1) : normal(size, index + 1);
  });
}

/** 32-bit linear congruential generator: enough for test inputs, the same everywhere. */
function uniform(seed: number): () => number {
  let state = Math.imul(seed, 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

export function normal(size: number, seed: number): Float32Array {
  const draw = uniform(seed);
  return Float32Array.from(
    { length: size },
    () => Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw()),
  );
}

function spaced(size: number, seed: number): Float32Array {
  const draw = uniform(seed);
  const ramp = Float32Array.from({ length: size }, (_, i) => (i - Math.floor(size / 2) + 0.5) / 4);
  for (let i = size - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [ramp[i], ramp[j]] = [ramp[j]!, ramp[i]!];
  }
  return ramp;
}

export const largest = (values: Float32Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);

/** Largest absolute difference; NaN counts as infinite. */
export function largestDifference(a: Float32Array, b: Float32Array): number {
  let most = a.length === b.length ? 0 : Infinity;
  for (const [i, value] of a.entries()) {
    const difference = Math.abs(value - b[i]!);
    most = Number.isNaN(difference) ? Infinity : Math.max(most, difference);
  }
  return most;
}
