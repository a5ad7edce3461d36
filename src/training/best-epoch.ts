/** Which validation is kept, and when to stop waiting for a better one. They count from 0, in the order of `add`. */
export class BestEpoch {
  readonly #isHigherBetter: boolean;
  readonly #patience: number | null;
  #next = 0;
  #best: { readonly epoch: number; readonly value: number | null } | undefined;

  /** @param patience validations without gain after which `isOver`; null: never */
  constructor(isHigherBetter: boolean, patience: number | null = null) {
    this.#isHigherBetter = isHigherBetter;
    this.#patience = patience;
  }

  /** @returns whether this epoch is the best so far: strictly better, NaN and null never; the first is until one is better */
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
    return best === null || (this.#isHigherBetter ? candidate > best : candidate < best);
  }
}

/** What is known of a number after these values of it, the oldest first; what is not finite is never better. */
export function followed(
  values: readonly (number | null)[],
  isHigherBetter: boolean,
  patience: number | null = null,
): BestEpoch {
  const follow = new BestEpoch(isHigherBetter, patience);
  for (const value of values) follow.add(value !== null && Number.isFinite(value) ? value : null);
  return follow;
}
