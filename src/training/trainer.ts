import { setImmediate } from 'node:timers/promises';
import { isOutOfMemory } from '../engine/out-of-memory.js';
import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { RunError } from '../errors.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Random } from '../random.js';
import type { BatchLoss } from './batch-loss.js';
import { followed } from './best-epoch.js';
import { BestWeights } from './best-weights.js';
import type { Feed, Item } from './feed.js';
import type { InputSource, Prepared } from './input-source.js';
import { optimizerFor } from './optimizer-for.js';
import { learningRateFactor } from './schedules.js';
import { scheduleOf } from './schedule-of.js';
import type { EncodingModel } from './task-model.js';
import type { RunProgress, TrainingState } from './training-state.js';
import { stepCount, validationInterval } from './validation-count.js';

export interface TrainingOptions {
  readonly model: Pick<EncodingModel, 'parameters'>;
  readonly feed: Feed;
  readonly source: InputSource;
  /** What the task makes of feature maps and answers. */
  readonly loss: BatchLoss;
  readonly protocol: Protocol;
  /** A frozen encoder gets no gradient and stays in evaluation mode. */
  readonly isFrozen: boolean;
  readonly random: Random;
  /** The model as it is now, on the validation split. Where none of them has a score, the first one's weights are kept. */
  readonly validate: () => Promise<Validation>;
  readonly isHigherBetter: boolean;
  /** Asked after each validation, of all scores so far, whether training is to end with it. Default: never. */
  readonly isOver?: (scores: readonly (number | null)[]) => boolean;
  /** Where the run's state is kept, so that it goes on after a stop; null keeps none. */
  readonly progress: RunProgress | null;
  readonly onStep?: (step: StepReport) => void;
  readonly onEpoch?: (epoch: EpochReport) => void;
  /** Called between steps: gives the event loop a turn, and throws to stop. */
  readonly breathe: () => Promise<void>;
}

export interface Validation {
  /** Of what the protocol selects by; null where it is undefined. */
  readonly score: number | null;
  /** null where it is not asked for. */
  readonly loss: number | null;
}

/** One of several validations in an epoch. */
export interface ValidationReport extends Validation {
  /** After which step of the epoch. */
  readonly step: number;
}

export interface StepReport {
  /** 1 for the first. */
  readonly epoch: number;
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
}

export interface EpochReport {
  readonly epoch: number;
  readonly trainLoss: number;
  /** null for epochs that are not validated; of several validations the best. */
  readonly validationScore: number | null;
  /** Of the same validation. */
  readonly validationLoss: number | null;
  readonly seconds: number;
  /** Where an epoch may have several. */
  readonly validations?: readonly ValidationReport[];
}

export interface TrainingOutcome {
  /** Epoch whose weights the model has, 1 for the first; 0: the untrained model was best. */
  readonly selectedEpoch: number;
  /** Whether training ended before its last epoch, for want of better scores. */
  readonly isStoppedEarly: boolean;
  readonly curve: readonly EpochReport[];
  /** Score of the selected weights, smoothed where the protocol smooths; null where none was defined. */
  readonly bestScore: number | null;
  /** Of all validations, the untrained model's included, in their order. */
  readonly scores: readonly (number | null)[];
}

/**
 * Trains a model in place and leaves it with the weights of its best epoch on the validation split (the first one, when
 * several are equal). What is drawn depends on the seed, the epoch and the step alone, so that a run which goes on from a
 * kept state gives the same as one that was never stopped.
 * @throws RunError LOSS_NOT_FINITE with the epoch, the step and its inputs; OUT_OF_MEMORY with the batch size that fits;
 *   InputError SPLIT_EMPTY; whatever `breathe` throws
 */
export async function train(options: TrainingOptions): Promise<TrainingOutcome> {
  const { model, feed, protocol, random, progress } = options;
  const optimizer = optimizerFor(model, protocol, options.isFrozen);
  const best = new BestWeights(model.parameters, protocol, options.isHigherBetter);
  const schedule = scheduleOf(protocol);
  const stepsPerEpoch = stepCount((await firstEpoch(options)).length, protocol);
  // a sum of gradients never goes on into the next epoch
  const updatesPerEpoch = Math.ceil(stepsPerEpoch / protocol.accumulate);
  const totalUpdates = updatesPerEpoch * protocol.epochs;
  const interval = validationInterval(stepsPerEpoch, protocol);
  let state: TrainingState = { ...EPOCH_START, epoch: 1, curve: [], isCut: false };
  const validate = async (epoch: number): Promise<Validation> => {
    const { score, loss } = await options.validate();
    best.see(epoch, score, loss);
    return { score, loss };
  };
  const isOver = (): boolean => best.isExhausted || (options.isOver?.(best.scores) ?? false);
  const gradients = new GradientSum();
  let summingSince = 0;
  const keepState = async (): Promise<void> => {
    if (gradients.isEmpty) await progress?.offer(state, model.parameters, optimizer, best);
  };
  /** A run that was stopped in the middle of a validation begins with it. */
  const validateWhereDue = async (): Promise<void> => {
    const { epoch, step, validations } = state;
    if (step === 0 || step % interval > 0 || validations.at(-1)?.step === step) return;
    if (epoch % protocol.validateEvery > 0 && epoch < protocol.epochs) return;
    const validation = { step, ...(await validate(epoch)) };
    state = {
      ...state,
      validations: [...validations, validation],
      isCut: isOver() && step < stepsPerEpoch,
    };
  };
  try {
    state = (await progress?.load(model.parameters, optimizer, best)) ?? state;
    if (protocol.validateUntrained && best.scores.length === 0) await validate(0);
    // an epoch that was begun is ended
    while (state.epoch <= protocol.epochs && (state.step > 0 || !isOver())) {
      const { epoch } = state;
      await validateWhereDue();
      const drawn = random.split(`epoch-${epoch}`);
      const all = batchesOf(await feed.epoch(drawn), protocol);
      const batches = state.isCut ? [] : all.slice(state.step);
      let started = performance.now();
      let next = loadBatch(options, batches[0] ?? [], drawn);
      for (const [index, items] of batches.entries()) {
        const batch = await next;
        // the next batch is read while this one is computed
        next = loadBatch(options, batches[index + 1] ?? [], drawn);
        next.catch(() => undefined); // heard when it is awaited
        const step = state.step + 1;
        const add = (part: readonly Prepared[]): number =>
          gradients.add(options, optimizer.parameters, part, drawn.split(`dropout-${step}`));
        if (gradients.isEmpty) summingSince = performance.now();
        const value = addWithin(add, batch, { epoch, step, accumulate: protocol.accumulate });
        if (!Number.isFinite(value)) throw lossNotFinite(value, { epoch, step, items, batch });
        if (step % protocol.accumulate === 0 || step === stepsPerEpoch) {
          const count = (epoch - 1) * updatesPerEpoch + Math.ceil(step / protocol.accumulate) - 1;
          gradients.apply(optimizer, learningRateFactor(schedule, count, totalUpdates));
        }
        const seconds = state.seconds + (performance.now() - started) / 1000;
        started = performance.now();
        state = { ...state, step, lossSum: state.lossSum + value * items.length, seconds };
        options.onStep?.({ epoch, step, steps: stepsPerEpoch, loss: value });
        await validateWhereDue();
        if (state.isCut) break;
        await keepState();
        // between parts of one step there is no state to keep, so that a short one is ended first
        if (gradients.isEmpty || performance.now() - summingSince > SUM_MS) await options.breathe();
        else await setImmediate();
      }
      const row: EpochReport = {
        epoch,
        trainLoss: state.lossSum / all.slice(0, state.step).flat().length,
        ...bestOf(state.validations, options.isHigherBetter),
        seconds: state.seconds + (performance.now() - started) / 1000,
        ...(protocol.validationsPerEpoch > 1 && { validations: state.validations }),
      };
      options.onEpoch?.(row);
      state = { ...EPOCH_START, epoch: epoch + 1, curve: [...state.curve, row], isCut: state.isCut };
      await keepState();
    }
    const { bestScore, scores } = best;
    const isStoppedEarly = state.isCut || state.epoch <= protocol.epochs;
    return { selectedEpoch: best.restore(), isStoppedEarly, curve: state.curve, bestScore, scores };
  } catch (error) {
    // whatever was waited for when the word to stop came (a file that is read ends with an error of its own): the state is
    // that of the last step
    if (progress?.isDue()) await keepState();
    throw error;
  } finally {
    gradients.dispose();
    optimizer.dispose();
    best.dispose();
  }
}

/**
 * Adds a batch. Where it does not fit into the memory, ever smaller parts of it are tried, so that the error can say which
 * does.
 * @throws RunError OUT_OF_MEMORY
 */
function addWithin(
  add: (part: readonly Prepared[]) => number,
  batch: readonly Prepared[],
  { epoch, step, accumulate }: { readonly epoch: number; readonly step: number; readonly accumulate: number },
): number {
  try {
    return add(batch);
  } catch (cause) {
    if (!isOutOfMemory(cause)) throw cause;
    const fitting = largestFit(add, batch);
    const times = accumulate * Math.ceil(batch.length / Math.max(1, fitting));
    throw new RunError('OUT_OF_MEMORY', `A batch of ${batch.length} does not fit into the memory.`, {
      where: `epoch ${epoch}, step ${step}`,
      hint:
        fitting > 0
          ? `Give batchSize ${fitting} with accumulate ${times}, which makes steps of as many inputs or nearly, or a smaller inputSize.`
          : 'Not even one input does: give a smaller inputSize, a smaller encoder, or freeze the encoder.',
      cause,
    });
  }
}

/** The batch is halved until it fits; 0: one input does not. */
function largestFit(add: (part: readonly Prepared[]) => number, batch: readonly Prepared[]): number {
  for (let size = Math.floor(batch.length / 2); size >= 1; size = Math.floor(size / 2)) {
    try {
      add(batch.slice(0, size));
      return size;
    } catch (cause) {
      if (!isOutOfMemory(cause)) throw cause;
    }
  }
  return 0;
}

/** A step of several parts that takes longer is left in the middle when the word to stop comes. */
const SUM_MS = 5000;

const EPOCH_START = { step: 0, lossSum: 0, seconds: 0, validations: [] } as const;

/** Of the validations of an epoch the best, the first of equal ones. */
function bestOf(
  validations: readonly Validation[],
  isHigherBetter: boolean,
): Pick<EpochReport, 'validationScore' | 'validationLoss'> {
  const { best } = followed(
    validations.map(({ score }) => score),
    isHigherBetter,
  );
  const { score, loss } = validations[best?.epoch ?? 0] ?? { score: null, loss: null };
  return { validationScore: score, validationLoss: loss };
}

/** Sums gradients of several batches up to one step. */
class GradientSum {
  #sums: Tensor[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Loss of a batch; its gradients are added. */
  add(
    { source, loss, isFrozen, protocol }: TrainingOptions,
    parameters: Parameters<typeof gradientsOf>[1],
    batch: readonly Prepared[],
    dropout: Random,
  ): number {
    return tf.tidy(() => {
      const asTraining = protocol.frozenInTrainingMode;
      const frozen = isFrozen
        ? source.maps(batch, {
            training: asTraining,
            ...(asTraining && { random: dropout.split('encoder') }),
          })
        : null;
      const value = (): Scalar => {
        const maps = frozen ?? source.maps(batch, { training: true, random: dropout.split('encoder') });
        return loss(maps, batch, { training: true, random: dropout.split('decoder') });
      };
      const { lossValue, gradients } = gradientsOf(value, parameters);
      if (!Number.isFinite(lossValue)) return lossValue;
      const before = this.#sums;
      this.#sums = gradients.map((gradient, index) =>
        tf.keep(before[index] ? tf.add(before[index], gradient) : gradient.clone()),
      );
      tf.dispose(before);
      this.#count++;
      return lossValue;
    });
  }

  /** One step by the mean of what was added. */
  apply(optimizer: ReturnType<typeof optimizerFor>, rateFactor: number): void {
    const means = this.#count === 1 ? this.#sums : this.#sums.map((sum) => tf.div(sum, this.#count));
    optimizer.step(means, rateFactor);
    tf.dispose(means);
    this.dispose();
  }

  dispose(): void {
    tf.dispose(this.#sums);
    this.#sums = [];
    this.#count = 0;
  }
}

function gradientsOf(
  value: () => Scalar,
  parameters: ReturnType<typeof optimizerFor>['parameters'],
): { readonly lossValue: number; readonly gradients: Tensor[] } {
  const variables = parameters.map(({ variable }) => variable);
  const { value: loss, grads } = tf.variableGrads(value, variables);
  // what the outputs do not depend on, such as a norm behind the last tapped layer, stays as it is
  const gradients = variables.map((variable) => grads[variable.name] ?? tf.zerosLike(variable));
  return { lossValue: loss.dataSync()[0]!, gradients };
}

function loadBatch(
  { feed, source }: TrainingOptions,
  items: readonly Item[],
  drawn: Random,
): Promise<readonly Prepared[]> {
  if (items.length === 0) return Promise.resolve([]);
  return source.load(
    items.map((item) => feed.request(item, feed.isRepeating ? undefined : drawn.split(`crop-${item.id}`))),
  );
}

function batchesOf(items: readonly Item[], { batchSize, dropLast }: Protocol): Item[][] {
  const count = stepCount(items.length, { batchSize, dropLast });
  return Array.from({ length: count }, (_, at) => items.slice(at * batchSize, (at + 1) * batchSize));
}

/** @throws InputError SPLIT_EMPTY */
async function firstEpoch({ feed, random }: TrainingOptions): Promise<readonly Item[]> {
  const items = await feed.epoch(random.split('epoch-1'));
  if (items.length > 0) return items;
  throw feed.emptySplit('train');
}

function lossNotFinite(
  loss: number,
  { epoch, step, items, batch }: StepPlace & { items: readonly Item[]; batch: readonly Prepared[] },
): RunError {
  // those whose own numbers are not finite, if any: else the weights have run away
  const wrong = items.filter((_, at) => !isFinitePixels(batch[at]!));
  const named = wrong.length > 0 ? wrong : items;
  const what = wrong.length > 0 ? ', of inputs with numbers that are not finite' : '';
  return new RunError('LOSS_NOT_FINITE', `The loss is ${loss} in epoch ${epoch}, step ${step}${what}.`, {
    where: `inputs ${named.map(({ id }) => id).join(', ')}`,
    hint: 'Look at these inputs (no-data values, infinities), or lower learningRate.',
  });
}

interface StepPlace {
  readonly epoch: number;
  readonly step: number;
}

function isFinitePixels({ given }: Prepared): boolean {
  const arrays = 'input' in given ? Object.values(given.input.images) : given.features;
  return arrays.every(({ data }) => data.every((value) => Number.isFinite(value)));
}
