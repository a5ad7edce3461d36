import { checkProbeData, type ProbeData } from './knn.js';
import { standardisation } from './standardisation.js';

export interface LinearProbeOptions {
  /** Weight of half the squared length of the weights, beside the mean loss. Default 1e-4. */
  readonly l2?: number;
  /** Default 500. */
  readonly maximumIterations?: number;
  /** Ends once no component of the gradient is larger. Default 1e-5. */
  readonly tolerance?: number;
}

/** A trained linear classifier. */
export interface LinearProbe {
  /** [query][class]: logits; for several classes a sample, one logit a class. */
  readonly scores: (queries: readonly Float32Array[]) => Float64Array[];
  readonly iterations: number;
  /** Whether the gradient fell below the tolerance. */
  readonly hasConverged: boolean;
  /** Mean loss with the weights' share. */
  readonly loss: number;
}

/**
 * Logistic regression on vectors (multinomial; several classes a sample: one against the rest each), solved by L-BFGS on
 * standardised numbers. Nothing is drawn: the same data give the same classifier.
 * @throws InputError PROBE_DATA
 */
export function linearProbe(
  train: ProbeData,
  classCount: number,
  { l2 = 1e-4, maximumIterations = 500, tolerance = 1e-5 }: LinearProbeOptions = {},
): LinearProbe {
  checkProbeData(train, classCount);
  const scale = standardisation(train.vectors);
  const rows = train.vectors.map((vector) => scale(vector));
  const width = rows[0]!.length + 1;
  const isMultiLabel = typeof train.labels[0] === 'object';
  const targets = train.labels.map((label) => {
    const target = new Float64Array(classCount);
    for (const present of typeof label === 'number' ? [label] : label) target[present] = 1;
    return target;
  });

  const evaluate = (weights: Float64Array): { value: number; gradient: Float64Array } => {
    const gradient = new Float64Array(weights.length);
    let value = 0;
    for (const [index, row] of rows.entries()) {
      const probabilities = logits(row, weights, classCount, width);
      value += isMultiLabel
        ? sigmoidLoss(probabilities, targets[index]!)
        : softmaxLoss(probabilities, targets[index]!);
      for (let c = 0; c < classCount; c++) {
        const error = (probabilities[c]! - targets[index]![c]!) / rows.length;
        const at = c * width;
        for (let j = 0; j < width - 1; j++) gradient[at + j]! += error * row[j]!;
        gradient[at + width - 1]! += error;
      }
    }
    value /= rows.length;
    for (let i = 0; i < weights.length; i++) {
      if (i % width === width - 1) continue; // the bias is not held back
      value += 0.5 * l2 * weights[i]! ** 2;
      gradient[i]! += l2 * weights[i]!;
    }
    return { value, gradient };
  };
  const start = new Float64Array(classCount * width);
  const found = minimise(evaluate, start, { maximumIterations, tolerance });
  return {
    scores: (queries) => queries.map((query) => logits(scale(query), found.point, classCount, width)),
    iterations: found.iterations,
    hasConverged: found.hasConverged,
    loss: found.value,
  };
}

function logits(row: Float64Array, weights: Float64Array, classCount: number, width: number): Float64Array {
  return Float64Array.from({ length: classCount }, (_, c) => {
    let sum = weights[c * width + width - 1]!;
    for (let j = 0; j < width - 1; j++) sum += weights[c * width + j]! * row[j]!;
    return sum;
  });
}

/** Cross entropy; the logits become probabilities. */
function softmaxLoss(values: Float64Array, target: Float64Array): number {
  const top = Math.max(...values);
  const total = values.reduce((sum, value) => sum + Math.exp(value - top), 0);
  let loss = 0;
  for (const [c, value] of values.entries()) {
    const logProbability = value - top - Math.log(total);
    loss -= target[c]! * logProbability;
    values[c] = Math.exp(logProbability);
  }
  return loss;
}

/** Binary cross entropy of each class, added up; the logits become probabilities. */
function sigmoidLoss(values: Float64Array, target: Float64Array): number {
  let loss = 0;
  for (const [c, value] of values.entries()) {
    loss += Math.max(value, 0) - value * target[c]! + Math.log1p(Math.exp(-Math.abs(value)));
    values[c] = 1 / (1 + Math.exp(-value));
  }
  return loss;
}

const MEMORY = 10;

/** L-BFGS with a backtracking line search (Nocedal and Wright 2006, algorithms 7.4, 7.5 and 3.1). */
function minimise(
  evaluate: (point: Float64Array) => { value: number; gradient: Float64Array },
  start: Float64Array,
  { maximumIterations, tolerance }: { readonly maximumIterations: number; readonly tolerance: number },
): { point: Float64Array; value: number; iterations: number; hasConverged: boolean } {
  let point = start;
  let { value, gradient } = evaluate(point);
  const steps: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  for (let iterations = 0; ; iterations++) {
    const hasConverged = gradient.every((component) => Math.abs(component) <= tolerance);
    if (hasConverged || iterations === maximumIterations) return { point, value, iterations, hasConverged };
    const direction = twoLoop(gradient, steps);
    const slope = inner(direction, gradient);
    let step = iterations === 0 ? Math.min(1, 1 / Math.sqrt(inner(gradient, gradient))) : 1;
    let next = evaluate(along(point, direction, step));
    while (!(next.value <= value + 1e-4 * step * slope) && step > 1e-12) {
      step /= 2;
      next = evaluate(along(point, direction, step));
    }
    if (step <= 1e-12) return { point, value, iterations, hasConverged: false };
    const moved = along(point, direction, step);
    const s = moved.map((component, i) => component - point[i]!);
    const y = next.gradient.map((component, i) => component - gradient[i]!);
    const curvature = inner(s, y);
    if (curvature > 1e-12) steps.push({ s, y, rho: 1 / curvature });
    if (steps.length > MEMORY) steps.shift();
    [point, value, gradient] = [moved, next.value, next.gradient];
  }
}

/** −H · gradient, with H the inverse Hessian that the last steps suggest. */
function twoLoop(
  gradient: Float64Array,
  steps: readonly { s: Float64Array; y: Float64Array; rho: number }[],
): Float64Array {
  const q = gradient.map((component) => -component);
  const alphas = steps.map(() => 0);
  for (let k = steps.length - 1; k >= 0; k--) {
    const { s, y, rho } = steps[k]!;
    const alpha = rho * inner(s, q);
    alphas[k] = alpha;
    for (let i = 0; i < q.length; i++) q[i]! -= alpha * y[i]!;
  }
  const last = steps.at(-1);
  if (last) {
    const gamma = 1 / (last.rho * inner(last.y, last.y));
    for (let i = 0; i < q.length; i++) q[i]! *= gamma;
  }
  for (const [k, { s, y, rho }] of steps.entries()) {
    const beta = rho * inner(y, q);
    for (let i = 0; i < q.length; i++) q[i]! += (alphas[k]! - beta) * s[i]!;
  }
  return q;
}

const inner = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

const along = (point: Float64Array, direction: Float64Array, step: number): Float64Array =>
  point.map((component, i) => component + step * direction[i]!);
