import { InputError } from '../errors.js';
import { countsAt, predictionInvalid, type Metric, type MetricOptions } from './metric.js';

/**
 * Errors over all values that count, in double precision.
 * Differs: PANGAEA, as published, averages the mean squares of batches, so that a small last batch weighs as much as a
 * full one; a call of `add` is a batch.
 */
export function regressionMetric({
  ignoreIndex = null,
  mode = 'corrected',
  evaluator = 'pangaea',
}: MetricOptions): Metric {
  const byBatch = mode === 'as-published' && evaluator === 'pangaea';
  const sums = { count: 0, squares: 0, sizes: 0, batches: 0, batchMeans: 0 };
  const spread = new Spread();
  return {
    add(prediction, target, { validity } = {}) {
      if (prediction.length !== target.length) {
        const sizes = `${target.length} targets and ${prediction.length} predictions`;
        throw new InputError('SHAPE_MISMATCH', `As many predictions as targets are due; got ${sizes}.`);
      }
      const isCounted = countsAt(target, ignoreIndex, validity);
      let [count, squares] = [0, 0];
      for (let at = 0; at < target.length; at++) {
        if (!isCounted(at)) continue;
        if (Number.isNaN(prediction[at]!)) throw predictionInvalid(at);
        const error = prediction[at]! - target[at]!;
        count += 1;
        squares += error * error;
        sums.sizes += Math.abs(error);
        spread.add(prediction[at]!, target[at]!);
      }
      if (count === 0) return;
      sums.count += count;
      sums.squares += squares;
      sums.batches += 1;
      sums.batchMeans += squares / count;
    },
    scores() {
      if (sums.count === 0) return { RMSE: null, MSE: null, MAE: null, R2: null, pearson: null };
      const MSE = byBatch ? sums.batchMeans / sums.batches : sums.squares / sums.count;
      return {
        RMSE: Math.sqrt(MSE),
        MSE,
        MAE: sums.sizes / sums.count,
        R2: spread.target > 0 ? 1 - sums.squares / spread.target : null,
        pearson: spread.correlation(),
      };
    },
    perClass: () => ({}),
  };
}

/** Sums of squared distances from the means, one value pair at a time (Welford 1962). */
class Spread {
  #count = 0;
  #means = { prediction: 0, target: 0 };
  #prediction = 0;
  #both = 0;
  target = 0;

  add(prediction: number, target: number): void {
    this.#count += 1;
    const fromPrediction = prediction - this.#means.prediction;
    const fromTarget = target - this.#means.target;
    this.#means.prediction += fromPrediction / this.#count;
    this.#means.target += fromTarget / this.#count;
    this.#prediction += fromPrediction * (prediction - this.#means.prediction);
    this.target += fromTarget * (target - this.#means.target);
    this.#both += fromPrediction * (target - this.#means.target);
  }

  /** null where either does not vary. */
  correlation(): number | null {
    const product = Math.sqrt(this.#prediction) * Math.sqrt(this.target);
    return product > 0 ? this.#both / product : null;
  }
}
