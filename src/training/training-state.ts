import { rename, rm } from 'node:fs/promises';
import { readArrays, writeArrays, type ArrayFile, type NamedArray } from '../io/array-file.js';
import { makeFolder } from '../io/make-folder.js';
import path from 'node:path';
import type { ParameterStore } from '../layers/parameters.js';
import { fileBefore } from './state-file.js';
import type { BestWeights, SeenValidations } from './best-weights.js';
import type { Optimizer } from './optimizers/optimizer.js';
import type { EpochReport, ValidationReport } from './trainer.js';

/** Where a run is: everything but the numbers of model, optimiser and best weights. */
export interface TrainingState {
  /** Epoch in progress, 1 for the first; one past the last when all are done. */
  readonly epoch: number;
  /** Steps of it that are done. */
  readonly step: number;
  /** Of these steps: sum of loss × inputs. */
  readonly lossSum: number;
  /** Of these steps. */
  readonly seconds: number;
  /** Of these steps, in their order. */
  readonly validations: readonly ValidationReport[];
  /** Epochs that are done. */
  readonly curve: readonly EpochReport[];
  /** Whether the last validation ended training in the middle of an epoch. */
  readonly isCut: boolean;
}

/** Keeps the state of one run in a file, every few minutes and when it is asked to. */
export class RunProgress {
  readonly #file: string;
  readonly #intervalMs: number;
  /** Whether the state is asked for now. */
  readonly isDue: () => boolean;
  #kept: TrainingState | undefined;
  #writtenAt = performance.now();

  /**
   * @param file of this run; it appears whole or not at all, and the state before it stays beside it
   * @param isDue asks for the state now, e.g. before the process has to end
   */
  constructor(file: string, { intervalMs = 300_000, isDue = () => false }: ProgressOptions = {}) {
    this.#file = file;
    this.#intervalMs = intervalMs;
    this.isDue = isDue;
  }

  /** Writes the state where it is time to. */
  async offer(
    state: TrainingState,
    parameters: ParameterStore,
    optimizer: Optimizer,
    best: BestWeights,
  ): Promise<void> {
    if (state === this.#kept) return;
    if (!this.isDue() && performance.now() - this.#writtenAt < this.#intervalMs) return;
    const arrays = new Map<string, NamedArray>();
    for (const { name, variable } of parameters.all)
      arrays.set(`model/${name}`, { data: (await variable.data()) as Float32Array, shape: variable.shape });
    for (const [name, data] of optimizer.state())
      arrays.set(`optimizer/${name}`, { data, shape: [data.length] });
    const { seen, weights } = await best.state();
    for (const [name, array] of weights) arrays.set(`best/${name}`, array);
    await makeFolder(path.dirname(this.#file));
    await rename(this.#file, fileBefore(this.#file)).catch(() => undefined); // the first has none before it
    await writeArrays(this.#file, {
      arrays,
      metadata: { form: FORM, state: JSON.stringify({ state, seen }) },
    });
    this.#writtenAt = performance.now();
    this.#kept = state;
  }

  /**
   * Puts model, optimiser and best weights where the run was left.
   * @returns undefined: there is nothing to go on from, or only what is damaged or of another form
   */
  async load(
    parameters: ParameterStore,
    optimizer: Optimizer,
    best: BestWeights,
  ): Promise<TrainingState | undefined> {
    const last = await readState(this.#file);
    if (!last) await rm(this.#file, { force: true }); // what is damaged must not take the place of the one before
    const file = last ?? (await readState(fileBefore(this.#file)));
    if (!file) return undefined;
    const under = (prefix: string): Map<string, NamedArray> =>
      new Map(
        [...file.arrays].flatMap(([name, array]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), array] as const] : [],
        ),
      );
    const { state, seen } = JSON.parse(file.metadata['state'] ?? '{}') as {
      state: TrainingState;
      seen: SeenValidations;
    };
    const memory = new Map([...under('optimizer/')].map(([name, { data }]) => [name, data]));
    optimizer.restore(memory);
    parameters.assign(under('model/'));
    best.resume(seen, under('best/'));
    return state;
  }

  /** The run is done. */
  async clear(): Promise<void> {
    for (const file of [this.#file, fileBefore(this.#file)]) await rm(file, { force: true });
  }
}

async function readState(file: string): Promise<ArrayFile | undefined> {
  const found = await readArrays(file).catch(() => undefined);
  return found?.metadata['form'] === FORM ? found : undefined;
}

export interface ProgressOptions {
  /** Default five minutes. */
  readonly intervalMs?: number;
  readonly isDue?: () => boolean;
}

const FORM = 'gondwana-training-state/3';
