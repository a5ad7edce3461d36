/** How far confidence and accuracy lie apart, over bins of equal width, weighted by their images (Naeini et al. 2015). */
export class CalibrationBins {
  readonly #bins: { count: number; confidence: number; right: number }[];

  constructor(count = 15) {
    this.#bins = Array.from({ length: count }, () => ({ count: 0, confidence: 0, right: 0 }));
  }

  /** @param confidence probability of the chosen class, 0 … 1; a bin holds its upper end */
  add(confidence: number, isRight: boolean): void {
    const index = Math.ceil(confidence * this.#bins.length) - 1;
    const bin = this.#bins[Math.max(0, index)]!;
    bin.count += 1;
    bin.confidence += confidence;
    bin.right += isRight ? 1 : 0;
  }

  /** null without images. */
  error(): number | null {
    const total = this.#bins.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) return null;
    return this.#bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / total;
  }
}
