import { checkVectors } from './knn.js';
import { standardisation } from './standardisation.js';

/** Vectors with the number that each is to be told as. */
export interface ValueData {
  readonly vectors: readonly Float32Array[];
  readonly values: readonly number[];
}

export interface RidgeProbeOptions {
  /** Weight of the squared length of the weights, beside the sum of squared errors. Default 1. */
  readonly ridge?: number;
}

/**
 * Linear regression on vectors with a penalty on the squared weights (Hoerl and Kennard 1970), on standardised numbers;
 * the offset is not held back. Solved exactly: nothing is drawn.
 * @returns one number a query
 * @throws InputError PROBE_DATA
 */
export function ridgeProbe(
  train: ValueData,
  { ridge = 1 }: RidgeProbeOptions = {},
): (queries: readonly Float32Array[]) => Float64Array {
  checkVectors(train.vectors, train.values.length);
  const scale = standardisation(train.vectors);
  const rows = train.vectors.map((vector) => scale(vector));
  const width = rows[0]!.length;
  const mean = train.values.reduce((sum, value) => sum + value, 0) / rows.length;
  // normal equations; the columns have mean 0, so that the offset is the mean of the values
  const gram = new Float64Array(width * width);
  const right = new Float64Array(width);
  for (const [index, row] of rows.entries()) {
    const value = train.values[index]! - mean;
    for (let i = 0; i < width; i++) {
      right[i]! += row[i]! * value;
      for (let j = 0; j <= i; j++) gram[i * width + j]! += row[i]! * row[j]!;
    }
  }
  for (let i = 0; i < width; i++) gram[i * width + i]! += ridge;
  const weights = solve(gram, right);
  return (queries) =>
    Float64Array.from(queries, (query) => {
      const row = scale(query);
      return row.reduce((sum, number, i) => sum + number * weights[i]!, mean);
    });
}

/** Solves A x = b by Cholesky's factors; of the symmetric positive A only the lower triangle is read, and overwritten. */
function solve(lower: Float64Array, b: Float64Array): Float64Array {
  const width = b.length;
  const at = (i: number, j: number): number => lower[i * width + j]!;
  const x = Float64Array.from(b);
  for (let j = 0; j < width; j++) {
    for (let i = j; i < width; i++) {
      let sum = at(i, j);
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
      lower[i * width + j] = i === j ? Math.sqrt(sum) : sum / at(j, j);
    }
  }
  for (let i = 0; i < width; i++) {
    for (let k = 0; k < i; k++) x[i]! -= at(i, k) * x[k]!;
    x[i]! /= at(i, i);
  }
  for (let i = width - 1; i >= 0; i--) {
    for (let k = i + 1; k < width; k++) x[i]! -= at(k, i) * x[k]!;
    x[i]! /= at(i, i);
  }
  return x;
}
