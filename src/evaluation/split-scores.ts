import type { Metric } from '../metrics/metric.js';

/** What every metric says in the end. */
export type Scored = Pick<Metric, 'scores' | 'perClass'>;

/** Scores of a split, whole and by place. */
export interface SplitEvaluation {
  /** By site or region; those that samples name. */
  readonly byPlace: ReadonlyMap<string, Scored>;
  readonly total: Scored;
  /** Mean over inputs; null where it is not asked for, or there is no input. */
  readonly loss: number | null;
  readonly inputCount: number;
  /** Pixels, images or objects of all answers. */
  readonly answerCount: number;
}

/** What is told of one input beside its prediction. */
export interface InputFacts {
  /** Site or region; '' for none. */
  readonly place: string;
  readonly answerCount: number;
  /** Of this input; null: it is not asked for. */
  readonly loss?: number | null;
}

/** Adds up predictions of a split, input by input. */
export class SplitScores<M extends Scored> {
  readonly #newMetric: () => M;
  readonly #byPlace = new Map<string, M>();
  readonly #total: M;
  #lossSum = 0;
  #isLossKnown = true;
  #inputCount = 0;
  #answerCount = 0;

  constructor(newMetric: () => M) {
    this.#newMetric = newMetric;
    this.#total = newMetric();
  }

  /** @param tell adds the input to a metric */
  add(tell: (metric: M) => void, { place, answerCount, loss = null }: InputFacts): void {
    tell(this.#total);
    if (place !== '') tell(this.#metricOf(place));
    if (loss === null) this.#isLossKnown = false;
    else this.#lossSum += loss;
    this.#inputCount += 1;
    this.#answerCount += answerCount;
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

  #metricOf(place: string): M {
    const known = this.#byPlace.get(place) ?? this.#newMetric();
    this.#byPlace.set(place, known);
    return known;
  }
}
