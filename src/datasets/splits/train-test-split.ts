import { numpyRandom } from './numpy-random.js';

export interface TrainTestSplit {
  /** Positions 0 … count − 1, in the order of the reference. */
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/**
 * scikit-learn's `train_test_split(arange(count), test_size=testShare, random_state=seed)`, bit for bit.
 * @param testShare of all, 0 … 1; the number is rounded up
 */
export function trainTestSplit(count: number, testShare: number, seed: number): TrainTestSplit {
  const testCount = Math.ceil(testShare * count);
  const order = numpyRandom(seed).permutation(count);
  return { test: order.slice(0, testCount), train: order.slice(testCount) };
}
