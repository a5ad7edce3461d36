import type { StoredType } from '../sample.js';

/** Values that are kept one by one; beyond them they are counted in bins. */
const EXACT_COUNT = 16_384;
/** Bins that are made at once: most of the range of a type holds nothing. */
const PAGE = 1024;
/** Bits of a float32 that a bin does not tell apart: 9 of its 23 binary digits stay. */
const DROPPED_BITS = 14;

const SMALL_INTEGERS: readonly StoredType[] = ['uint8', 'int8', 'uint16', 'int16'];
/** Makes the least 16-bit number bin 0. */
const INTEGER_OFFSET = 32_768;

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * Quantiles of any number of values in bounded memory, the same in whatever order they come. Exact for up to 16,384
 * values and for integers of 8 and 16 bits; else values are counted in bins of about 0.2 % of their size, and a quantile
 * is the middle of its bin: at most 0.1 % away.
 */
export class Quantiles {
  private list: Float64Array | null = new Float64Array(256);
  private readonly pages: (Float64Array | undefined)[] = [];
  private count = 0;
  private min = Infinity;
  private max = -Infinity;
  private readonly isInteger: boolean;

  constructor(storedType: StoredType) {
    this.isInteger = SMALL_INTEGERS.includes(storedType);
  }

  /** @param value finite */
  add(value: number): void {
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    this.count++;
    if (this.list === null) this.addToBin(value);
    else this.addToList(value);
  }

  /** Whether a quantile is exact. */
  get isExact(): boolean {
    return this.list !== null || this.isInteger;
  }

  /**
   * Values below which the shares lie, between two values by a straight line (NumPy's `linear`); null where there is no
   * value.
   * @param shares 0 … 1
   */
  at(shares: readonly number[]): (number | null)[] {
    if (this.count === 0) return shares.map(() => null);
    const sorted = this.list?.slice(0, this.count).sort();
    const find = sorted ? (rank: number): number => sorted[rank]! : this.binnedRanks();
    return shares.map((share) => {
      const rank = share * (this.count - 1);
      const low = find(Math.floor(rank));
      const high = find(Math.ceil(rank));
      return low + (high - low) * (rank - Math.floor(rank));
    });
  }

  private addToList(value: number): void {
    const at = this.count - 1;
    if (at === EXACT_COUNT) {
      const values = this.list!;
      this.list = null;
      for (let i = 0; i < at; i++) this.addToBin(values[i]!);
      this.addToBin(value);
      return;
    }
    if (at === this.list!.length) {
      const longer = new Float64Array(2 * at);
      longer.set(this.list!);
      this.list = longer;
    }
    this.list![at] = value;
  }

  private addToBin(value: number): void {
    let bin: number;
    if (this.isInteger) bin = value + INTEGER_OFFSET;
    else {
      float[0] = value;
      bin = bits[0]! >>> DROPPED_BITS;
    }
    const page = (this.pages[Math.floor(bin / PAGE)] ??= new Float64Array(PAGE));
    page[bin % PAGE]!++;
  }

  private middleOf(bin: number): number {
    if (this.isInteger) return bin - INTEGER_OFFSET;
    bits[0] = (bin << DROPPED_BITS) | (1 << (DROPPED_BITS - 1));
    return Math.min(this.max, Math.max(this.min, float[0]!));
  }

  /** The value of a rank, from 0. */
  private binnedRanks(): (rank: number) => number {
    const bins: { value: number; count: number }[] = [];
    this.pages.forEach((page, number) => {
      page?.forEach((count, place) => {
        if (count > 0) bins.push({ value: this.middleOf(number * PAGE + place), count });
      });
    });
    bins.sort((a, b) => a.value - b.value);
    return (rank) => {
      let passed = 0;
      for (const { value, count } of bins) {
        passed += count;
        if (rank < passed) return value;
      }
      return this.max;
    };
  }
}
