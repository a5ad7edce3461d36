import { UsageError } from '../../errors.js';
import { numpyRandom, type NumpyRandom } from './numpy-random.js';

export interface TrainTestSplit {
  /** Positions 0 … count − 1, in the order of the reference. */
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/**
 * scikit-learn's `train_test_split(arange(count), test_size=testShare, random_state=seed)`, bit for bit.
 * @param testShare of all, above 0 and below 1; the number is rounded up
 * @throws UsageError SPLIT_SHARE if one side stays empty
 */
export function trainTestSplit(count: number, testShare: number, seed: number): TrainTestSplit {
  const testCount = testCountOf(count, testShare);
  const order = numpyRandom(seed).permutation(count);
  return { test: order.slice(0, testCount), train: order.slice(testCount) };
}

/**
 * The same with `stratify=labels`: both sides have the classes in their shares. Classes in sorted order, as NumPy sorts.
 * @throws UsageError SPLIT_SHARE if one side stays empty or has fewer places than there are classes, SPLIT_STRATUM for
 * a class of a single sample
 */
export function stratifiedSplit(
  labels: readonly (string | number)[],
  testShare: number,
  seed: number,
): TrainTestSplit {
  const testCount = testCountOf(labels.length, testShare);
  const trainCount = labels.length - testCount;
  const places = placesByClass(labels);
  checkStrata(places, Math.min(trainCount, testCount));
  const counts = [...places.values()].map((own) => own.length);
  const random = numpyRandom(seed);
  const inTrain = approximateMode(counts, trainCount, random);
  const inTest = approximateMode(
    counts.map((own, index) => own - inTrain[index]!),
    testCount,
    random,
  );
  const train: number[] = [];
  const test: number[] = [];
  for (const [index, own] of [...places.values()].entries()) {
    const order = [...random.permutation(own.length)].map((at) => own[at]!);
    const last = inTrain[index]! + inTest[index]!;
    train.push(...order.slice(0, inTrain[index]));
    test.push(...order.slice(inTrain[index], last));
  }
  random.shuffle(train);
  random.shuffle(test);
  return { train: Int32Array.from(train), test: Int32Array.from(test) };
}

function testCountOf(count: number, testShare: number): number {
  const testCount = Math.ceil(testShare * count);
  if (testShare > 0 && testShare < 1 && testCount < count) return testCount;
  throw new UsageError('SPLIT_SHARE', `${testShare} of ${count} samples leaves one side empty.`, {
    hint: 'The share lies between 0 and 1, and there are samples for both sides.',
  });
}

/** Positions of each class, ascending; classes sorted. */
function placesByClass(labels: readonly (string | number)[]): Map<string | number, number[]> {
  const sorted = [...new Set(labels)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const places = new Map<string | number, number[]>(sorted.map((label) => [label, []]));
  for (const [place, label] of labels.entries()) places.get(label)!.push(place);
  return places;
}

function checkStrata(places: ReadonlyMap<string | number, readonly number[]>, least: number): void {
  for (const [label, own] of places) {
    if (own.length < 2) {
      throw new UsageError('SPLIT_STRATUM', `The class "${label}" has a single sample.`, {
        hint: 'It cannot be on both sides: leave it out, or split without classes.',
      });
    }
  }
  if (least < places.size) {
    throw new UsageError('SPLIT_SHARE', `${places.size} classes do not fit a side of ${least} samples.`, {
      hint: 'Take a larger share, or split without classes.',
    });
  }
}

/**
 * scikit-learn's `_approximate_mode`: how many of each class to draw; what flooring leaves over goes to the largest
 * remainders, ties drawn.
 */
function approximateMode(counts: readonly number[], draws: number, random: NumpyRandom): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const exact = counts.map((count) => (count / total) * draws);
  const taken = exact.map(Math.floor);
  let missing = draws - taken.reduce((sum, count) => sum + count, 0);
  if (missing === 0) return taken;
  const remainders = exact.map((value, index) => value - taken[index]!);
  for (const remainder of [...new Set(remainders)].sort((a, b) => b - a)) {
    const ties = remainders.flatMap((value, index) => (value === remainder ? [index] : []));
    const chosen = random.choice(ties, Math.min(ties.length, missing));
    for (const index of chosen) taken[index]!++;
    missing -= chosen.length;
    if (missing === 0) break;
  }
  return taken;
}
