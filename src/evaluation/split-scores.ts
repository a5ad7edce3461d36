import type { Metric, Numbers } from '../metrics/metric.js';
import type { Answer } from '../training/answer.js';

/** Scores of a split, whole and by place. */
export interface SplitEvaluation {
  /** By site or region; those that samples name. */
  readonly byPlace: ReadonlyMap<string, Metric>;
  readonly total: Metric;
  /** Mean over inputs; null where it is not asked for, or there is no input. */
  readonly loss: number | null;
  readonly inputCount: number;
  /** Pixels, or images, of all answers. */
  readonly answerCount: number;
}

/** What a metric is told of one input. */
export interface Judged {
  readonly prediction: Numbers;
  readonly target: Numbers;
  readonly validity: Numbers | null;
}

/** Adds up predictions of a split, input by input. */
export class SplitScores {
  readonly #newMetric: () => Metric;
  readonly #byPlace = new Map<string, Metric>();
  readonly #total: Metric;
  #lossSum = 0;
  #isLossKnown = true;
  #inputCount = 0;
  #answerCount = 0;

  constructor(newMetric: () => Metric) {
    this.#newMetric = newMetric;
    this.#total = newMetric();
  }

  /**
   * @param place site or region; '' for none
   * @param loss of this input; null: it is not asked for
   */
  add(
    { prediction, target, validity }: Judged,
    { data }: Pick<Answer, 'data'>,
    place: string,
    loss: number | null = null,
  ): void {
    this.#total.add(prediction, target, { validity });
    if (place !== '') this.#metricOf(place).add(prediction, target, { validity });
    if (loss === null) this.#isLossKnown = false;
    else this.#lossSum += loss;
    this.#inputCount += 1;
    this.#answerCount += data.length;
  }

  result(): SplitEvaluation {
    return {
      byPlace: this.#byPlace,
      total: this.#total,
      loss: this.#isLossKnown && this.#inputCount > 0 ? this.#lossSum / this.#inputCount : null,
      inputCount: this.#inputCount,
      answerCount: this.#answerCount,
    };
  }

  #metricOf(place: string): Metric {
    const known = this.#byPlace.get(place) ?? this.#newMetric();
    this.#byPlace.set(place, known);
    return known;
  }
}
