import { splineWeights } from '../../layers/cubic-spline.js';
import type { WeightArray } from '../encoder.js';

/**
 * A table of position biases [(2 · window − 1)², head] for another window, as the Swin family has it: the places of the
 * old table grow apart geometrically so that they span the new one, and a cubic spline (not-a-knot) runs through them.
 * Differs: where the last place falls short of the border by the bisection's last step, for which the reference stops
 * with an error, the spline's end piece goes on; and windows that grow by more than the reference's factor are reached.
 * @returns the table as it is where windows are not square, the old one is smaller than 3, or heads differ
 */
export function resizeBiasTable(
  { data, shape }: WeightArray,
  modelShape: readonly number[],
  {
    isTransposed = false,
  }: { /** PANGAEA exchanges rows and columns. Default false. */ isTransposed?: boolean } = {},
): WeightArray {
  const [from, heads] = shape as [number, number];
  const [to, modelHeads] = modelShape as [number, number];
  if (from === to) return { data, shape };
  const [oldSide, newSide] = [Math.sqrt(from), Math.sqrt(to)];
  const isSquare = Number.isInteger(oldSide) && Number.isInteger(newSide);
  if (heads !== modelHeads || !isSquare || oldSide < SMALLEST) return { data, shape };
  const places = geometricPlaces((oldSide - 1) / 2, (newSide - 1) / 2);
  const wanted = Array.from({ length: newSide }, (_, at) => at - (newSide - 1) / 2);
  const weights = splineWeights(places, wanted);
  const out = new Float32Array(to * heads);
  for (let head = 0; head < heads; head++) {
    const values = Array.from({ length: from }, (_, at) => data[at * heads + head]!);
    const resized = alongBoth(values, weights, oldSide, newSide);
    for (const [at, value] of resized.entries()) {
      const place = isTransposed ? (at % newSide) * newSide + Math.floor(at / newSide) : at;
      out[place * heads + head] = value;
    }
  }
  return { data: out, shape: [to, heads] };
}

/** Places that a cubic spline runs through, at least 4: a window of 3. */
const SMALLEST = 5;

/** The places −reach … 0 … reach: 1, 1 + q, 1 + q + q², … and their mirror images, with q such that they end at `reach`. */
function geometricPlaces(count: number, reach: number): number[] {
  const ratio = ratioOf(count, reach);
  const places: number[] = [];
  let place = 1;
  for (let step = 0; step < count; step++) {
    places.push(place);
    place += ratio ** (step + 1);
  }
  return [...places.map((at) => -at).reverse(), 0, ...places];
}

/** By bisection, stopped where the reference stops. */
function ratioOf(count: number, reach: number): number {
  const sum = (q: number): number => (1 - q ** count) / (1 - q);
  let [left, right] = [1.01, 1.5];
  while (sum(right) < reach) right *= 2;
  let q = left;
  while (right - left > 1e-6) {
    q = (left + right) / 2;
    if (sum(q) > reach) right = q;
    else left = q;
  }
  return q;
}

/** Rows, then columns, in double precision: [old, old] → [new, new]. */
function alongBoth(
  values: readonly number[],
  weights: readonly Float64Array[],
  from: number,
  to: number,
): number[] {
  const rows = Array.from({ length: from * to }, (_, at) => {
    const [row, column] = [Math.floor(at / to), at % to];
    return dot(weights[column]!, (k) => values[row * from + k]!);
  });
  return Array.from({ length: to * to }, (_, at) => {
    const [row, column] = [Math.floor(at / to), at % to];
    return dot(weights[row]!, (k) => rows[k * to + column]!);
  });
}

const dot = (weights: Float64Array, value: (index: number) => number): number =>
  weights.reduce((sum, weight, index) => sum + weight * value(index), 0);
