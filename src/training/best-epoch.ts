import { isBetter, type ScoreName } from '../metrics/score-kinds.js';

/** Which epoch is kept, and when to stop waiting for a better one. Epochs count from 0, in the order of `add`. */
export class BestEpoch {
  #next = 0;
  #best: { readonly epoch: number; readonly value: number | null } | undefined;

  /**
   * @param score says which way is better
   * @param patience epochs without gain after which `isOver`; null: never
   */
  constructor(
    private readonly score: ScoreName,
    private readonly patience: number | null = null,
  ) {}

  /** @returns whether this epoch is the best so far: strictly better, NaN and null never; the first is until one is better */
  add(value: number | null): boolean {
    const epoch = this.#next++;
    if (this.#best && !isBetter(this.score, value, this.#best.value)) return false;
    this.#best = { epoch, value: value === null || Number.isNaN(value) ? null : value };
    return true;
  }

  /** Undefined before the first epoch; value null where no epoch had a score. */
  get best(): { readonly epoch: number; readonly value: number | null } | undefined {
    return this.#best;
  }

  get isOver(): boolean {
    return (
      this.patience !== null && this.#best !== undefined && this.#next - 1 - this.#best.epoch >= this.patience
    );
  }
}
