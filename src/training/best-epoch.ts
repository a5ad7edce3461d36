/** Which validation is kept, and when to stop waiting for a better one. They count from 0, in the order of `add`. */
export class BestEpoch {
  readonly #isHigherBetter: boolean;
  readonly #patience: number | null;
  readonly #smallestGain: number;
  #next = 0;
  #best: { readonly epoch: number; readonly value: number | null } | undefined;

  constructor(isHigherBetter: boolean, { patience = null, smallestGain = 0 }: Waiting = {}) {
    this.#isHigherBetter = isHigherBetter;
    this.#patience = patience;
    this.#smallestGain = smallestGain;
  }

  /**
   * @returns whether this epoch is the best so far: better by more than the smallest gain, NaN and null never; the first is
   * until one is better
   */
  add(value: number | null): boolean {
    const epoch = this.#next++;
    const known = value !== null && !Number.isNaN(value) ? value : null;
    if (this.#best && !this.#isBetter(known, this.#best.value)) return false;
    this.#best = { epoch, value: known };
    return true;
  }

  /** Undefined before the first epoch; value null where no epoch had a score. */
  get best(): { readonly epoch: number; readonly value: number | null } | undefined {
    return this.#best;
  }

  get isOver(): boolean {
    return (
      this.#patience !== null &&
      this.#best !== undefined &&
      this.#next - 1 - this.#best.epoch >= this.#patience
    );
  }

  #isBetter(candidate: number | null, best: number | null): boolean {
    if (candidate === null) return false;
    if (best === null) return true;
    const gain = this.#smallestGain;
    return this.#isHigherBetter ? candidate - gain > best : candidate + gain < best;
  }
}

/** How long a better validation is waited for, and which one counts as better. */
export interface Waiting {
  /** Validations without gain after which it is over; default null: never. */
  readonly patience?: number | null;
  /** What a gain must exceed. Default 0. */
  readonly smallestGain?: number;
}

/** What is known of a number after these values of it, the oldest first; what is not finite is never better. */
export function followed(
  values: readonly (number | null)[],
  isHigherBetter: boolean,
  waiting: Waiting = {},
): BestEpoch {
  const follow = new BestEpoch(isHigherBetter, waiting);
  for (const value of values) follow.add(value !== null && Number.isFinite(value) ? value : null);
  return follow;
}
