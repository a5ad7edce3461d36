import { tf, type Tensor } from '../engine/tf.js';
import type { NamedArray } from '../io/array-file.js';
import type { ParameterStore } from '../layers/parameters.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import { followed, type BestEpoch } from './best-epoch.js';

/** What a run remembers of its validations, beside the weights. */
export interface SeenValidations {
  readonly epochs: readonly number[];
  readonly scores: readonly (number | null)[];
  readonly losses: readonly (number | null)[];
  readonly bestEpoch: number | null;
}

type ChoiceSettings = Pick<Protocol, 'smoothing' | 'patience' | 'smallestGain' | 'stopBy'>;

/**
 * Keeps the weights of the best validation, and tells when no better one has come for long enough.
 *
 * With `smoothing` above 1 the validation with the greatest trailing triangular mean is the best (GEO-Bench: 1, 2, 3, 2, 1
 * over 5, undefined before the fifth); until there is one, the best single score. `smallestGain` is what patience watches for;
 * the best is the best by any gain.
 */
export class BestWeights {
  readonly #store: ParameterStore;
  readonly #protocol: ChoiceSettings;
  readonly #isHigherBetter: boolean;
  #weights: Map<string, Tensor> | undefined;
  #seen: SeenValidations = { epochs: [], scores: [], losses: [], bestEpoch: null };

  constructor(store: ParameterStore, protocol: ChoiceSettings, isHigherBetter: boolean) {
    this.#store = store;
    this.#protocol = protocol;
    this.#isHigherBetter = isHigherBetter;
  }

  see(epoch: number, score: number | null, loss: number | null): void {
    const { epochs, scores, losses, bestEpoch } = this.#seen;
    const seen = { epochs: [...epochs, epoch], scores: [...scores, score], losses: [...losses, loss] };
    const best = this.#bestOf(seen.scores);
    const isBest = best!.epoch === epochs.length || bestEpoch === null;
    if (isBest) this.#keep();
    this.#seen = { ...seen, bestEpoch: isBest ? epoch : bestEpoch };
  }

  /** Of all validations, in their order. */
  get scores(): readonly (number | null)[] {
    return this.#seen.scores;
  }

  /** That the best weights were chosen by: smoothed where the protocol smooths; null where none is defined. */
  get bestScore(): number | null {
    return this.#bestOf(this.#seen.scores)?.value ?? null;
  }

  #bestOf(scores: readonly (number | null)[]): BestEpoch['best'] {
    return followed(smoothed(scores, this.#protocol.smoothing), this.#isHigherBetter).best;
  }

  /** No better validation has come for as long as `patience` waits. */
  get isExhausted(): boolean {
    const { patience, smallestGain, stopBy } = this.#protocol;
    const waiting = { patience, smallestGain };
    const { scores, losses } = this.#seen;
    const watched =
      stopBy === 'loss' ? followed(losses, false, waiting) : followed(scores, this.#isHigherBetter, waiting);
    return watched.isOver;
  }

  /** Gives the model its best weights. @returns their epoch; 0: nothing was validated, and the model stays as it is */
  restore(): number {
    if (this.#weights) this.#store.restore(this.#weights);
    return this.#seen.bestEpoch ?? 0;
  }

  /** For a state that is kept: what was seen, and the weights. */
  async state(): Promise<{
    readonly seen: SeenValidations;
    readonly weights: ReadonlyMap<string, NamedArray>;
  }> {
    const weights = new Map<string, NamedArray>();
    for (const [name, tensor] of this.#weights ?? [])
      weights.set(name, { data: (await tensor.data()) as Float32Array, shape: tensor.shape });
    return { seen: this.#seen, weights };
  }

  resume(seen: SeenValidations, weights: ReadonlyMap<string, NamedArray>): void {
    this.dispose();
    this.#seen = seen;
    if (weights.size === 0) return;
    this.#weights = new Map(
      [...weights].map(([name, { data, shape }]) => [name, tf.tensor(data, [...shape], 'float32')]),
    );
  }

  dispose(): void {
    if (this.#weights) tf.dispose([...this.#weights.values()]);
    this.#weights = undefined;
  }

  #keep(): void {
    this.dispose();
    this.#weights = this.#store.snapshot();
  }
}

/**
 * Trailing means with triangular weights, null where the window is not full or holds a value that is none; the values
 * themselves for a window of 1, and as long as no window is full.
 */
function smoothed(values: readonly (number | null)[], window: number): readonly (number | null)[] {
  if (window === 1 || values.length < window) return values;
  const middle = (window - 1) / 2;
  const weights = Array.from({ length: window }, (_, at) => middle + 1 - Math.abs(at - middle));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.map((_, end) => {
    if (end < window - 1) return null;
    return (
      weights.reduce((sum, weight, at) => sum + weight * (values[end - window + 1 + at] ?? NaN), 0) / total
    );
  });
}
