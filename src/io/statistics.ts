/** Numbers about values: those that are finite; the others are counted. */
export interface Statistics {
  /** Finite values. */
  readonly count: number;
  readonly nanCount: number;
  readonly infCount: number;
  /** Of whole numbers the exact sum, rounded once. null, as the next four, where no value is finite. */
  readonly sum: number | null;
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Population standard deviation. */
  readonly std: number | null;
}

/** Whole numbers below 2^32 that are summed as doubles: their sum stays exact. */
const EXACT_COUNT = 2 ** 20;

/** Statistics that grow value by value, so that nothing larger than a part is held. */
export class RunningStatistics {
  private count = 0;
  private nanCount = 0;
  private infCount = 0;
  private min = Infinity;
  private max = -Infinity;
  /** Whole numbers: what left `part` already. */
  private whole = 0n;
  private part = 0;
  private partCount = 0;
  /** Fractions: what `part` lost by rounding. */
  private lost = 0;
  /** Near the values, so that squares of differences keep their digits. */
  private near = 0;
  private differences = 0;
  private squares = 0;

  /** @param isWhole all values are whole numbers: their sum is exact */
  constructor(private readonly isWhole: boolean) {}

  /**
   * Adds every `stride`-th value from `start` on.
   * @param valid like `values`; a value counts where it is not 0. null: all count
   */
  add(values: ArrayLike<number>, valid: ArrayLike<number> | null = null, start = 0, stride = 1): void {
    for (let i = start; i < values.length; i += stride) {
      if (valid !== null && valid[i] === 0) continue;
      this.addOne(values[i]!);
    }
  }

  private addOne(value: number): void {
    if (value - value !== 0) {
      if (Number.isNaN(value)) this.nanCount++;
      else this.infCount++;
      return;
    }
    if (this.count === 0) this.near = value;
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    const difference = value - this.near;
    this.differences += difference;
    this.squares += difference * difference;
    if (this.isWhole) this.addWhole(value);
    else this.addFraction(value);
  }

  private addWhole(value: number): void {
    if (value >= 2 ** 32 || value <= -(2 ** 32)) {
      this.whole += BigInt(value);
      return;
    }
    this.part += value;
    if (++this.partCount < EXACT_COUNT) return;
    this.whole += BigInt(this.part);
    this.part = 0;
    this.partCount = 0;
  }

  /** Neumaier's sum: what a step rounds away is kept apart. */
  private addFraction(value: number): void {
    const sum = this.part + value;
    const isLarger = Math.abs(this.part) >= Math.abs(value);
    this.lost += isLarger ? this.part - sum + value : value - sum + this.part;
    this.part = sum;
  }

  result(): Statistics {
    const { count, nanCount, infCount } = this;
    const none = { sum: null, mean: null, min: null, max: null, std: null };
    if (count === 0) return { count, nanCount, infCount, ...none };
    const sum = this.isWhole ? Number(this.whole + BigInt(this.part)) : this.part + this.lost;
    const variance = (this.squares - (this.differences * this.differences) / count) / count;
    return {
      count,
      nanCount,
      infCount,
      sum,
      mean: sum / count,
      min: this.min,
      max: this.max,
      std: Math.sqrt(Math.max(variance, 0)),
    };
  }
}
