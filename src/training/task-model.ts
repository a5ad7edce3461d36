import { assembleDecoder, type AssembledDecoder, type FrontParts } from '../decoders/assemble-decoder.js';
import type { DecoderFamily, DecoderTask } from '../decoders/decoder.js';
import type { BuildNeck } from '../decoders/necks/registry.js';
import { getTemporalFusion } from '../decoders/temporal/registry.js';
import type { Mode } from '../datasets/faults.js';
import {
  assembleDetector,
  type AssembledDetector,
  type DetectorFamily,
} from '../detection/detector-family.js';
import { adaptedEncoder, type AdaptedEncoderOptions } from '../encoders/adapted-encoder.js';
import type { NewBands } from '../encoders/band-options.js';
import { batchOf } from '../encoders/encoder-batch.js';
import { encodeDates } from '../encoders/encode-dates.js';
import type { EncoderSample } from '../encoders/encoder-sample.js';
import type { BuiltEncoder } from '../encoders/encoder.js';
import { planBands } from '../encoders/plan-bands.js';
import { resolveEncoder } from '../encoders/register-encoder.js';
import { isNative } from '../engine/engine.js';
import { withCheckpoints } from '../engine/ops/checkpoint.js';
import { checkPrecision, inPrecision } from '../engine/ops/precision.js';
import { tf, type Tensor, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import { createScope, ParameterStore, type Scope } from '../layers/parameters.js';
import type { AnswerTask } from '../manifests/answer-task.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Random } from '../random.js';
import type { LendEncoder, LoadedEncoder } from './kept-encoder.js';
import type { TrainedTask } from './task.js';

/** Feature maps of a batch: [batch, height, width, channels] or [batch, time, height, width, channels] each. */
export type FeatureMaps = (Tensor4D | Tensor5D)[];

/** An encoder with its parameters, and those of what stands behind it: `encoder/…` and `decoder/…`. */
export interface EncodingModel {
  readonly parameters: ParameterStore;
  /** With the bands that it takes. */
  readonly manifest: EncoderManifest;
  /** Every known fault of the encoder's reference, and whether it is on. */
  readonly faults: Readonly<Record<string, boolean>>;
  /** Feature maps of samples of one size, finest first; in the caller's tidy. */
  readonly encode: (samples: readonly EncoderSample[], context: ForwardContext) => FeatureMaps;
  readonly dispose: () => void;
}

/** An encoder and a decoder. */
export interface TaskModel extends EncodingModel {
  /** Logits or values: [batch, height, width, class] of dense tasks, else [batch, class]. */
  readonly decode: AssembledDecoder<DecoderTask>;
}

/** An encoder and a detector. */
export interface DetectionModel extends EncodingModel {
  readonly detector: AssembledDetector;
  /** Whether objects have masks, or boxes alone. */
  readonly hasMasks: boolean;
}

/** The encoder of a run, and how its bands are brought to those of the dataset. */
export interface EncoderPlan {
  readonly encoder: string;
  /** With the bands that the model takes. */
  readonly manifest: EncoderManifest;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  /** Filters of the first layer that the checkpoint lacks, and what they start from. */
  readonly newFilters: readonly NewFilters[];
  /** Known faults of its reference. */
  readonly faultIds: readonly string[];
  readonly options: Pick<
    AdaptedEncoderOptions,
    'weightsFile' | 'bands' | 'newBands' | 'sensor' | 'hyperparameters' | 'seed'
  >;
}

/** For bands of one modality. */
export interface NewFilters {
  readonly modality: string;
  readonly added: readonly string[];
  readonly newBands: NewBands;
  /** null: nothing is drawn. */
  readonly seed: number | null;
}

export interface EncoderPlanOptions {
  readonly encoder: string;
  /** Checkpoint; null leaves the random start. */
  readonly weightsFile: string | null;
  readonly protocol: Pick<Protocol, 'bands' | 'newBands' | 'inputSize'>;
  /** Bands of the dataset by modality of the encoder. */
  readonly datasetBands: Readonly<Record<string, readonly string[]>>;
  /** Whose other names of bands count; undefined: those of Sentinel-2. */
  readonly sensor: string | undefined;
  readonly seed: number;
}

/**
 * Which bands the encoder is built for: those of its checkpoint; with `adapt`, and where it starts at random, those of
 * the dataset; with `rgb` and a random start, three.
 * @throws what planBands throws
 */
export async function planEncoder(options: EncoderPlanOptions): Promise<EncoderPlan> {
  const { encoder, weightsFile, protocol, datasetBands, sensor, seed } = options;
  const { manifest, family } = await resolveEncoder(encoder);
  const isFree = protocol.bands === 'adapt' || weightsFile === null;
  const wanted =
    protocol.bands === 'rgb'
      ? Object.fromEntries(Object.keys(datasetBands).map((name) => [name, ['red', 'green', 'blue']]))
      : datasetBands;
  // encoders that take any bands learn of them by their wavelengths
  const named = Object.entries(wanted).filter(
    ([name]) => manifest.modalities[name]!.bands.length > 0 || weightsFile === null,
  );
  const size = protocol.inputSize;
  const isSized = size !== null && 'imageSize' in manifest.hyperparameters;
  const built: EncoderPlan['options'] = {
    ...{ weightsFile, seed },
    ...(sensor !== undefined && { sensor }),
    ...(isFree && named.length > 0 && { bands: Object.fromEntries(named), newBands: protocol.newBands }),
    ...(isSized && { hyperparameters: { imageSize: [size, size] } }),
  };
  const plan = planBands(family, manifest, built, seed);
  return {
    ...{ encoder, options: built },
    manifest: plan.manifest,
    hyperparameters: plan.hyperparameters,
    newFilters: plan.changes.flatMap(({ modality, added, newBands }): NewFilters[] =>
      newBands === null ? [] : [{ modality, added, newBands, seed: newBands === 'random' ? seed : null }],
    ),
    faultIds: Object.keys(family.faults),
  };
}

export interface EncodingModelOptions {
  readonly encoder: EncoderPlan;
  readonly decoderHyperparameters?: Readonly<Record<string, unknown>>;
  /** Default: what the decoder needs, by PANGAEA's rule. */
  readonly neck?: BuildNeck | null;
  /** What the decoder needs by another rule. */
  readonly pyramid?: BuildNeck;
  readonly task: TrainedTask;
  /** Logits a pixel, an image or a box; of a regression 1. */
  readonly outputCount: number;
  readonly protocol: Pick<Protocol, 'temporal' | 'change'> &
    Partial<Pick<Protocol, 'precision' | 'checkpointBlocks'>>;
  /** Whether the encoder is trained as well. */
  readonly isTrained: boolean;
  readonly mode: Mode;
  /** Faults of the encoder's reference switched one by one. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** Centre wavelengths in nanometres by modality of the encoder, where they are known. */
  readonly wavelengths: Readonly<Record<string, readonly number[]>>;
  /** An input of the run: its dates decide on the fusion. */
  readonly example: EncoderSample;
  readonly random: Random;
  /** Who lends a frozen encoder. Default: the model loads one of its own. */
  readonly lend?: LendEncoder;
}

export interface TaskModelOptions extends EncodingModelOptions {
  readonly task: AnswerTask;
  readonly decoder: DecoderFamily;
}

/**
 * Builds the model and loads the encoder's weights.
 * @throws RunError PRECISION_UNSUPPORTED; what loadWeights and the decoder throw for what does not fit; nothing stays allocated then
 */
export async function buildTaskModel({ decoder, task, ...options }: TaskModelOptions): Promise<TaskModel> {
  const { head, inOwnPrecision, ...model } = await buildModel({ ...options, task }, (scope, parts) =>
    assembleDecoder<DecoderTask>(scope, { ...parts, decoder, task }),
  );
  return {
    ...model,
    decode: { ...head, forward: (...given) => inOwnPrecision(() => head.forward(...given)) },
  };
}

/** As `buildTaskModel`, of a detector. */
export async function buildDetectionModel({
  decoder,
  ...options
}: EncodingModelOptions & { readonly decoder: DetectorFamily }): Promise<DetectionModel> {
  const { head, inOwnPrecision, ...model } = await buildModel(options, (scope, parts) =>
    assembleDetector(scope, { ...parts, decoder }),
  );
  const detector: AssembledDetector = {
    losses: (...given) => inOwnPrecision(() => head.losses(...given)),
    detect: (...given) => inOwnPrecision(() => head.detect(...given)),
  };
  return { ...model, detector, hasMasks: decoder.hasMasks };
}

/** What a head is told of the encoder in front of it. */
type HeadParts = Omit<FrontParts, 'decoder'> & {
  readonly classCount: number;
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
};

async function buildModel<H>(
  options: EncodingModelOptions,
  assemble: (scope: Scope, parts: HeadParts) => H,
): Promise<EncodingModel & { readonly head: H; readonly inOwnPrecision: <T>(compute: () => T) => T }> {
  const { encoder: plan, task, mode, example, random, wavelengths, faults } = options;
  const { precision = 'float32', checkpointBlocks = false } = options.protocol;
  checkPrecision(precision);
  // operations are counted on an engine that knows no precision
  const inOwnPrecision = <T>(compute: () => T): T =>
    isNative() ? inPrecision(precision, compute) : compute();
  const sparing = <T>(compute: () => T): T => (checkpointBlocks ? withCheckpoints(compute) : compute());
  const load = (): Promise<LoadedEncoder> =>
    loadEncoder(plan, { mode, faults, random, isTrained: options.isTrained });
  const { lend } = options;
  const loaded = await (lend ? lend(load) : load());
  const { encoder: built } = loaded;
  const { manifest, faultsOn } = built;
  const parameters = new ParameterStore();
  parameters.include(loaded.parameters);
  const dispose = (): void => {
    parameters.dispose();
    if (!lend) loaded.dispose();
  };
  try {
    const encode = (samples: readonly EncoderSample[], context: ForwardContext): FeatureMaps =>
      inOwnPrecision(() =>
        sparing(() => encodeDates(built, { ...batchOf(samples, tf), wavelengths }, context)),
      );
    const dateCount = Math.max(1, ...Object.values(example.images).map(({ timeCount }) => timeCount));
    const fusion = fusionFor(task, options.protocol, built, dateCount, () =>
      encode([example], { training: false }),
    );
    const head = assemble(createScope(parameters, random).child('decoder'), {
      features: built.features,
      encoder: manifest.id,
      dateCount,
      classCount: options.outputCount,
      ...(options.decoderHyperparameters && { hyperparameters: options.decoderHyperparameters }),
      ...(options.neck !== undefined && { neck: options.neck }),
      ...(options.pyramid && { pyramid: options.pyramid }),
      ...(fusion !== null && { fusion: await getTemporalFusion(fusion) }),
    });
    return { parameters, manifest, faults: faultsOn, encode, dispose, head, inOwnPrecision };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function loadEncoder(
  plan: EncoderPlan,
  options: Pick<AdaptedEncoderOptions, 'mode' | 'faults' | 'random' | 'isTrained'>,
): Promise<LoadedEncoder> {
  const parameters = new ParameterStore();
  try {
    const encoder = await adaptedEncoder(plan.encoder, parameters, { ...plan.options, ...options });
    const dispose = (): void => {
      encoder.dispose?.();
      parameters.dispose();
    };
    return { encoder, parameters, dispose };
  } catch (error) {
    parameters.dispose();
    throw error;
  }
}

/** What makes one map of several: the siamese fusion of a change, the temporal one of a series; null: nothing has to. */
function fusionFor(
  task: TrainedTask,
  { temporal, change }: Pick<Protocol, 'temporal' | 'change'>,
  encoder: BuiltEncoder,
  dateCount: number,
  encodeOnce: () => FeatureMaps,
): string | null {
  if (dateCount === 1) return null;
  if ((encoder.dates ?? 1) !== 1) {
    // an encoder of series may merge its dates or keep them: one sample shows which
    const ranks = tf.tidy(() => encodeOnce().map((map: Tensor) => map.rank));
    if (ranks.every((rank) => rank === 4)) return null;
  }
  if (task === 'change_detection') return change === 'concat' ? 'siamese-concat' : 'siamese-diff';
  return `temporal-${temporal}`;
}
