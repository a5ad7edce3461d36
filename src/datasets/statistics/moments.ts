/** What one part brought. */
export interface PartMoments {
  readonly count: number;
  readonly mean: number;
}

/**
 * Count, mean, spread and extremes of numbers that come in parts, of which nothing is kept. The squares of each part are
 * taken around its own mean and then moved to that of all, so that digits stay however far the numbers lie from 0.
 */
export class Moments {
  /** Finite numbers. */
  count = 0;
  mean = 0;
  min = Infinity;
  max = -Infinity;
  /** Infinite numbers, which nothing else here counts. */
  infiniteCount = 0;
  /** Of the distances from the mean, summed. */
  squares = 0;

  /**
   * Adds every `stride`-th number from `start` on, as far as they are valid; NaN is no number.
   * @param valid like `data`, 0 = no value; null: all count
   * @returns null where the part has no finite number
   */
  add(data: ArrayLike<number>, valid: Uint8Array | null = null, start = 0, stride = 1): PartMoments | null {
    let [count, sum, min, max] = [0, 0, this.min, this.max];
    for (let at = start; at < data.length; at += stride) {
      if (valid !== null && valid[at] === 0) continue;
      const value = data[at]!;
      if (!Number.isFinite(value)) {
        if (!Number.isNaN(value)) this.infiniteCount++;
        continue;
      }
      count++;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    if (count === 0) return null;
    const mean = sum / count;
    let squares = 0;
    for (let at = start; at < data.length; at += stride) {
      if (valid !== null && valid[at] === 0) continue;
      const value = data[at]!;
      if (Number.isFinite(value)) squares += (value - mean) ** 2;
    }
    const difference = mean - this.mean;
    const total = this.count + count;
    this.squares += squares + (difference ** 2 * this.count * count) / total;
    this.mean += (difference * count) / total;
    this.count = total;
    Object.assign(this, { min, max });
    return { count, mean };
  }

  /** Of the population; NaN without a number. */
  get spread(): number {
    return Math.sqrt(this.squares / this.count);
  }
}
