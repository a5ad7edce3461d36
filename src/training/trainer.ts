import { RunError } from '../errors.js';
import { tf, type Scalar, type Tensor, type Tensor4D } from '../engine/tf.js';
import { segmentationCrossEntropy } from '../losses/cross-entropy.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Normalization } from '../preprocessing/normalize.js';
import type { Random } from '../random.js';
import { adamW, type Optimizer } from './adamw.js';
import { encodeImages, type FeatureSource } from './features.js';
import type { SegmentationModel } from './model.js';
import { imageTensor, labelTensor, type Tile } from './tiles.js';

export interface TrainingOptions {
  readonly model: SegmentationModel;
  readonly tiles: readonly Tile[];
  readonly protocol: Protocol;
  readonly normalization: Normalization;
  readonly ignoreIndex: number | null;
  /** Features of a frozen encoder, which then gets no gradient and stays in evaluation mode; undefined trains it. */
  readonly frozenFeatures?: FeatureSource;
  readonly random: Random;
  /** Score of the model as it is now; the epoch with the highest is kept. Null counts as lower than any. */
  readonly validate: () => Promise<number | null>;
  readonly onStep?: (step: StepReport) => void;
  readonly onEpoch?: (epoch: EpochReport) => void;
  /** Called between steps: gives the event loop a turn, and throws to stop. */
  readonly breathe: () => Promise<void>;
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
  readonly validationScore: number | null;
  readonly seconds: number;
}

/**
 * Trains a model in place and leaves it with the weights of its best epoch by validation score (the first
 * one, when several are equal).
 * @returns the best epoch, 1 for the first
 * @throws RunError LOSS_NOT_FINITE with the epoch, the step and its tiles; whatever `breathe` throws
 */
export async function train(options: TrainingOptions): Promise<number> {
  const { model, tiles, protocol, random, validate, breathe } = options;
  const optimizer = createOptimizer(options);
  const order = random.split('batches');
  const mirror = random.split('mirror');
  const dropout = random.split('dropout');
  const steps = Math.ceil(tiles.length / protocol.batchSize);
  let best: { epoch: number; score: number; weights: Map<string, Tensor> } | undefined;
  try {
    for (let epoch = 1; epoch <= protocol.epochs; epoch++) {
      const started = performance.now();
      const shuffled = [...order.permutation(tiles.length)].map((index) => tiles[index]!);
      let lossSum = 0;
      for (let step = 1; step <= steps; step++) {
        const batch = shuffled.slice((step - 1) * protocol.batchSize, step * protocol.batchSize);
        const isMirrored = mirror.uniform() < protocol.flipProbability;
        const loss = trainStep(options, optimizer, batch, { isMirrored, dropout });
        if (!Number.isFinite(loss)) throw lossNotFinite(loss, epoch, step, batch);
        lossSum += loss * batch.length;
        options.onStep?.({ epoch, step, steps, loss });
        await breathe();
      }
      const validationScore = await validate();
      const seconds = (performance.now() - started) / 1000;
      options.onEpoch?.({ epoch, trainLoss: lossSum / tiles.length, validationScore, seconds });
      // NaN is never better
      const score = Number.isFinite(validationScore) ? validationScore! : -Infinity;
      if (!best || score > best.score) {
        if (best) tf.dispose([...best.weights.values()]);
        best = { epoch, score, weights: model.parameters.snapshot() };
      }
    }
    model.parameters.restore(best!.weights);
    return best!.epoch;
  } finally {
    optimizer.dispose();
    if (best) tf.dispose([...best.weights.values()]);
  }
}

/** One step of gradient descent; returns the loss before it. */
function trainStep(
  { model, normalization, ignoreIndex, frozenFeatures }: TrainingOptions,
  optimizer: Optimizer,
  batch: readonly Tile[],
  { isMirrored, dropout }: { readonly isMirrored: boolean; readonly dropout: Random },
): number {
  return tf.tidy(() => {
    const labels = labelTensor(batch, isMirrored);
    const frozen = frozenFeatures?.(batch, isMirrored);
    const images = frozen ? undefined : imageTensor(batch, normalization, isMirrored);
    const [height, width] = [labels.shape[1], labels.shape[2]];
    const loss = (): Scalar => {
      const features = frozen ?? encodeImages(model, images as Tensor4D, true);
      const logits = model.decoder.forward(features, { height, width }, { training: true, random: dropout });
      return segmentationCrossEntropy(logits, labels, { ignoreIndex });
    };
    const variables = optimizer.parameters.map(({ variable }) => variable);
    const { value, grads } = tf.variableGrads(loss, variables);
    const lossValue = value.dataSync()[0]!;
    if (Number.isFinite(lossValue)) optimizer.step(variables.map(({ name }) => grads[name]!));
    return lossValue;
  });
}

/** Head and encoder with rates of their own; running statistics are not moved by gradients. */
function createOptimizer({ model, protocol, frozenFeatures }: TrainingOptions): Optimizer {
  const { weightDecay } = protocol;
  const trained = (prefix: string) =>
    model.parameters.under(prefix).filter(({ role }) => role !== 'statistic');
  const decoder = { parameters: trained('decoder'), learningRate: protocol.learningRate, weightDecay };
  if (frozenFeatures) return adamW([decoder]);
  const encoder = { parameters: trained('encoder'), learningRate: protocol.encoderLearningRate, weightDecay };
  return adamW([decoder, encoder]);
}

function lossNotFinite(loss: number, epoch: number, step: number, batch: readonly Tile[]): RunError {
  return new RunError('LOSS_NOT_FINITE', `The loss is ${loss} in epoch ${epoch}, step ${step}.`, {
    where: `tiles ${batch.map(({ id }) => id).join(', ')}`,
    hint: 'Look at these tiles (no-data values, infinities), or lower learningRate.',
  });
}
