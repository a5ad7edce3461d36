import { InputError } from '../errors.js';

/**
 * Pixel counts by [truth, prediction]. Batches add counts; scores divide once, at the end. Counts are
 * exact up to 2^53.
 */
export class ConfusionMatrix {
  /** [truth, prediction], row by row. */
  readonly counts: Float64Array;

  constructor(
    readonly classCount: number,
    readonly ignoreIndex: number | null = null,
  ) {
    this.counts = new Float64Array(classCount * classCount);
  }

  /**
   * Adds pixels; those whose truth is the ignore index, or that are not valid (0), are left out.
   * @throws InputError LABEL_OUT_OF_RANGE for any other value outside 0 … classCount − 1
   */
  add(
    truth: ArrayLike<number>,
    prediction: ArrayLike<number>,
    validity: ArrayLike<number> | null = null,
  ): void {
    if (truth.length !== prediction.length) {
      const sizes = `${truth.length} true and ${prediction.length} predicted pixels`;
      throw new InputError(
        'SHAPE_MISMATCH',
        `A confusion matrix needs as many truths as predictions; got ${sizes}.`,
      );
    }
    for (let pixel = 0; pixel < truth.length; pixel++) {
      const row = truth[pixel]!;
      if (row === this.ignoreIndex || (validity && !validity[pixel])) continue;
      const column = prediction[pixel]!;
      if (!this.#isClass(row) || !this.#isClass(column)) {
        throw new InputError(
          'LABEL_OUT_OF_RANGE',
          `Pixel ${pixel} has truth ${row} and prediction ${column}.`,
          {
            hint: `Classes are 0 … ${this.classCount - 1}, ignored is ${this.ignoreIndex ?? 'nothing'}.`,
          },
        );
      }
      this.counts[row * this.classCount + column]! += 1;
    }
  }

  /** Adds the counts of another matrix of the same classes. */
  merge(other: ConfusionMatrix): void {
    other.counts.forEach((count, index) => (this.counts[index]! += count));
  }

  #isClass(value: number): boolean {
    return Number.isInteger(value) && value >= 0 && value < this.classCount;
  }

  at(truth: number, prediction: number): number {
    return this.counts[truth * this.classCount + prediction]!;
  }

  /** Pixels whose truth is this class. */
  support(classIndex: number): number {
    let sum = 0;
    for (let column = 0; column < this.classCount; column++) sum += this.at(classIndex, column);
    return sum;
  }

  /** Pixels predicted as this class. */
  predicted(classIndex: number): number {
    let sum = 0;
    for (let row = 0; row < this.classCount; row++) sum += this.at(row, classIndex);
    return sum;
  }

  /** Right pixels. */
  get hits(): number {
    let sum = 0;
    for (let index = 0; index < this.classCount; index++) sum += this.at(index, index);
    return sum;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }
}
