import { getNeck } from '../decoders/necks/registry.js';
import { isDetector } from '../detection/registry.js';
import { evaluateObjects } from '../evaluation/evaluate-objects.js';
import { evaluateSplit, type Evaluation } from '../evaluation/evaluate-split.js';
import { forwardCost, type ForwardCost } from '../evaluation/run-cost.js';
import type { SplitEvaluation } from '../evaluation/split-scores.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { Random } from '../random.js';
import type { RunDefinition } from '../results/run-record.js';
import { logitsLoss, type BatchLoss } from '../training/batch-loss.js';
import { detectionLoss } from '../training/detection-loss.js';
import type { InputSource } from '../training/input-source.js';
import { buildDetectionModel, buildTaskModel, type EncodingModel } from '../training/task-model.js';
import { likelyBoxesFault } from './detection-faults.js';
import type { ExampleKeeper } from './examples.js';
import { lossFor, metricFor, objectMetricFor, refuseOwnLoss } from './objective.js';
import type { PreparedRun } from './prepare-run.js';
import { hasFixedEncoder } from './run-settings.js';
import type { Session } from './session.js';

export interface EvaluationOptions {
  readonly source: InputSource;
  /** Whether the mean loss is asked for. */
  readonly needsLoss: boolean;
  /** Told of what is predicted. */
  readonly examples?: ExampleKeeper;
}

/** What of a run hangs on the kind of its task: everything behind the encoder. */
export interface TaskParts {
  readonly model: EncodingModel;
  /** Of one input; null where it cannot be counted. */
  readonly multiplyAdds: ForwardCost | null;
  /** Known faults of scores and losses that a record names, and whether they are on. */
  readonly faults: Readonly<Record<string, boolean>>;
  readonly loss: BatchLoss;
  readonly evaluate: (
    split: string,
    evaluation: Evaluation,
    options: EvaluationOptions,
  ) => Promise<SplitEvaluation>;
}

/** Builds the model of a run, and what trains and scores it. */
export const taskParts = (
  definition: RunDefinition,
  prepared: PreparedRun,
  session: Pick<Session, 'breathe' | 'frozenEncoder'>,
  random: Random,
): Promise<TaskParts> =>
  isDetector(prepared.decoder)
    ? detectorParts(definition, prepared, session, random)
    : decoderParts(definition, prepared, session, random);

async function decoderParts(
  definition: RunDefinition,
  prepared: PreparedRun,
  session: Pick<Session, 'breathe' | 'frozenEncoder'>,
  random: Random,
): Promise<TaskParts> {
  const { decoder, task, feed, settings, size, dataset } = prepared;
  if (isDetector(decoder) || isObjectTask(task)) throw new Error('The decoder is none of the task.');
  const options = await modelOptions(definition, prepared, session, random);
  const loss = await lossFor(definition, { ...prepared, task }, session);
  const model = await buildTaskModel({ ...options, decoder, task });
  return {
    model,
    multiplyAdds: forwardCost(model, options.example),
    faults: {},
    loss: logitsLoss(model, task, loss),
    evaluate: (split, evaluation, { source, needsLoss, examples }) =>
      evaluateSplit(split, evaluation, {
        ...{ model, feed, task, source, size, protocol: settings, mode: definition.mode },
        newMetric: () => metricFor(dataset, task, definition.mode),
        loss: needsLoss ? loss : null,
        breathe: session.breathe,
        ...(examples && { onPrediction: examples.see }),
      }),
  };
}

async function detectorParts(
  definition: RunDefinition,
  prepared: PreparedRun,
  session: Pick<Session, 'breathe' | 'frozenEncoder'>,
  random: Random,
): Promise<TaskParts> {
  const { decoder, task, feed, settings, size, dataset } = prepared;
  if (!isDetector(decoder) || !isObjectTask(task)) throw new Error('The decoder is none of the task.');
  refuseOwnLoss(settings, task);
  const options = await modelOptions(definition, prepared, session, random);
  const model = await buildDetectionModel({ ...options, decoder });
  const faults = likelyBoxesFault(definition);
  return {
    model,
    multiplyAdds: null, // a detector's work hangs on what it sees
    faults,
    loss: detectionLoss(model),
    evaluate: (split, evaluation, { source, needsLoss, examples }) =>
      evaluateObjects(split, evaluation === 'tiles' ? 'tiles' : 'whole', {
        ...{ model, feed, source, size, protocol: settings, needsLoss },
        breathe: session.breathe,
        newMetric: () => objectMetricFor(dataset, task, definition.mode),
        likelyBoxesAlone: faults['likely-boxes-alone'],
        ...(examples && { onDetections: examples.seeObjects }),
      }),
  };
}

async function modelOptions(
  definition: RunDefinition,
  { encoder, task, outputCount, settings, wavelengths, feed, featureKey }: PreparedRun,
  { frozenEncoder }: Pick<Session, 'frozenEncoder'>,
  random: Random,
) {
  const [first] = await feed.trainingItems();
  if (!first) throw feed.emptySplit('train');
  // drawn crops are of the size that the run's have
  const { input } = await feed.read(first, random.split('example'));
  const own = new Set(encoder.faultIds);
  const faults = Object.entries(definition.faults ?? {}).filter(([fault]) => own.has(fault));
  const isFixed = hasFixedEncoder(settings);
  if (!isFixed) frozenEncoder.dispose();
  const { neck } = settings;
  return {
    decoderHyperparameters: settings.decoderOptions,
    ...(neck === 'none' ? { neck: null } : { pyramid: await getNeck(neck) }),
    ...{ encoder, task, outputCount, wavelengths, random },
    protocol: settings,
    isTrained: settings.encoderMode !== 'frozen',
    ...(isFixed && { lend: frozenEncoder.lender(featureKey) }),
    mode: definition.mode,
    faults: Object.fromEntries(faults),
    example: input,
  };
}
