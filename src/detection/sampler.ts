export interface SamplerOptions {
  /** Boxes to train on in an image. */
  readonly batchSize: number;
  /** Most of them that may be positive, 0 … 1. */
  readonly positiveFraction: number;
}

/** Draws an order of 0 … count − 1. */
export type Permutation = (count: number) => ArrayLike<number>;

/**
 * A random choice of boxes to train on. Positives that are missing are made up by negatives.
 * @param labels of each box: above 0 positive, 0 negative, below not used
 * @param permutation drawn from first for the positives, then for the negatives
 * @returns indices of both, rising
 */
export function sampleBoxes(
  labels: ArrayLike<number>,
  { batchSize, positiveFraction }: SamplerOptions,
  permutation: Permutation,
): { readonly positive: number[]; readonly negative: number[] } {
  const all = Array.from({ length: labels.length }, (_, box) => box);
  const choose = (from: readonly number[], count: number): number[] =>
    Array.from(permutation(from.length))
      .slice(0, count)
      .map((place) => from[place]!)
      .sort((a, b) => a - b);
  const positive = choose(
    all.filter((box) => labels[box]! >= 1),
    Math.floor(batchSize * positiveFraction),
  );
  const negative = choose(
    all.filter((box) => labels[box] === 0),
    batchSize - positive.length,
  );
  return { positive, negative };
}
