import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { protocolSheet } from './manifest-sheets.js';
import { readManifest } from './read-manifest.js';

/**
 * How a model gets its inputs, is trained and scored. Every member can be replaced by a study's settings and varied
 * between its arms; what a protocol leaves out has the default that is named here.
 */
export interface Protocol {
  // inputs
  /**
   * How a training image becomes an input: `tiles` side by side; `random`: a window drawn anew every epoch; `grid`: one
   * of a fixed grid of windows, drawn every epoch, so that features of a frozen encoder can be kept; `focus`: a window
   * around a labelled pixel (MADOS); `importance`: the best of several windows (xView2); `resize`; `none`.
   */
  readonly crop: (typeof CROPS)[number];
  /** Side of an input, pixels; null: what the encoder was made for, else the image as it is. Default null. */
  readonly inputSize: number | null;
  /** With `resize`, whether the truth is resized as well (GEO-Bench); else predictions are brought to its size. Default false. */
  readonly resizeTarget: boolean;
  /** Chance of each mirroring, of every training input by itself. Default 0. */
  readonly flipProbability: number;
  /** Default `horizontal`. */
  readonly flips: 'horizontal' | 'both';
  /** `match`: bands of the checkpoint, missing ones zero after normalising; `adapt`: the first layer is brought to the bands of the dataset; `rgb`: red, green and blue alone. Default `match`. */
  readonly bands: (typeof BAND_RULES)[number];
  /** With `adapt`, how filters of bands start that the checkpoint lacks. Default `random`. */
  readonly newBands: 'random' | 'mean-of-rgb';
  /** Modalities of the dataset that are used, joined by `+`, e.g. `sar` or `optical+sar`; `all`. Default `all`. */
  readonly modalities: string;
  /** Modalities of the dataset in the places of the encoder's, e.g. `optical=sar`; empty: by name. Default empty. */
  readonly modalityMap: string;
  /** Dates of a series, spread evenly; null: all. Default null. */
  readonly dates: number | null;
  /** Images are averaged over squares of k × k pixels and brought back to their size. Default 1: not. */
  readonly resolutionFactor: number;
  /** The same on all splits but the training split alone. Default 1. */
  readonly evaluationResolutionFactor: number;
  /** Share of the training split, 0 … 1. Default 1. */
  readonly labelFraction: number;
  /** Of a regression's target. Scores are in the unit of the files. Default `none`. */
  readonly targetNormalization: 'none' | 'z-score';

  // model
  /** What makes one map of several dates. Default `linear`. */
  readonly temporal: (typeof TEMPORAL)[number];
  /** What a siamese decoder makes of two dates. Default `concat`. */
  readonly change: 'concat' | 'difference';
  /** What the decoder is made of, by its own names, over what the protocol has for it. Default empty: its own defaults. */
  readonly decoderOptions: DecoderSettings;
  /** Neck between maps of one size and a decoder that needs a pyramid; `none`. Default `rescaled-pyramid`. */
  readonly neck: string;
  /** Whether a frozen encoder runs as in training: dropout, stochastic depth, batch statistics. Default false. */
  readonly frozenInTrainingMode: boolean;

  /**
   * Of the factors of linear layers, in training and scoring; sums and all else are float32. `bfloat16` needs the native
   * engine on a processor that has it. Default `float32`.
   */
  readonly precision: 'float32' | 'bfloat16';

  // training
  /**
   * Whether a trained encoder keeps the input of each block (of transformers, Swin, ConvNeXt) alone and computes the rest
   * again for the gradient: the same numbers but for rounding, less memory, about a third more time. Default false.
   */
  readonly checkpointBlocks: boolean;
  readonly batchSize: number;
  /** Batches whose gradients are summed up before a step. Default 1. */
  readonly accumulate: number;
  /** Whether the last batch of an epoch is left out where it is not full. Default false. */
  readonly dropLast: boolean;
  readonly epochs: number;
  readonly optimizer: 'adamw' | 'adam' | 'sgd';
  /** Of SGD, with Nesterov's step where above 0. Default 0.9. */
  readonly momentum: number;
  /** Decoder and head. */
  readonly learningRate: number;
  /** Encoder, when it is trained; null: `learningRate`. Default null. */
  readonly encoderLearningRate: number | null;
  readonly weightDecay: number;
  /** Norm, bias and position parameters are spared the weight decay. Default false. */
  readonly spareNorms: boolean;
  /** Most that the norm of all gradients together may be; null: no limit. Default null. */
  readonly gradientClip: number | null;
  /** Default `constant`. */
  readonly schedule: 'constant' | 'multi-step' | 'cosine';
  /** Shares of all steps after which `multi-step` multiplies the rate by `gamma`. Default 0.6, 0.9. */
  readonly milestones: readonly number[];
  /** Default 0.1. */
  readonly gamma: number;
  /** Share of all steps over which the rate rises from 0. Default 0. */
  readonly warmUp: number;
  /** Name of a loss; `auto`: cross entropy, balanced binary cross entropy of several labels, squared error of values. Default `auto`. */
  readonly loss: string;
  /** `inverse-share`: 1 / share of the class in the training split. Default `none`. */
  readonly classWeights: 'none' | 'inverse-share';

  // choice of the weights
  /** Score on the validation split whose best epoch is kept; `loss`; `auto`: the main score of the task. Default `auto`. */
  readonly selectBy: string;
  /** Epochs between two validations. Default 1. */
  readonly validateEvery: number;
  /**
   * In an epoch that is validated: after every ⌊steps / this⌋ steps, as Lightning counts, so that an epoch whose steps it
   * does not divide may have more. Default 1: at its end.
   */
  readonly validationsPerEpoch: number;
  /** Whether the untrained model is a candidate for the best one. Default false. */
  readonly validateUntrained: boolean;
  /** Validations over which a trailing triangular mean goes before the best is chosen (GEO-Bench: 5). Default 1. */
  readonly smoothing: number;
  /** Validations without a better score after which training ends; null: never. Default null. */
  readonly patience: number | null;
  /** By how much more than this a watched number has to be better for `patience` to begin anew (GEO-Bench: 1e-5). Default 0. */
  readonly smallestGain: number;
  /** What `patience` watches: the score that is selected by, or the loss (GEO-Bench-2). Default `score`. */
  readonly stopBy: 'score' | 'loss';

  // scores
  /** `tiles` side by side; `whole` images; windows over whole images: `sliding-window` (PANGAEA), `tiled` (GEO-Bench-2). */
  readonly evaluation: 'tiles' | 'whole' | 'sliding-window' | 'tiled';
  /** Where `evaluation` is by tiles, scored splits are also scored on whole images. Default false. */
  readonly wholeImages: boolean;
  /** Windows are at most this far apart, pixels; null: as few as cover the image. Default null. */
  readonly windowStride: number | null;
}

export const CROPS = ['tiles', 'random', 'grid', 'focus', 'importance', 'resize', 'none'] as const;
export const BAND_RULES = ['match', 'adapt', 'rgb'] as const;
export const TEMPORAL = ['linear', 'ltae', 'mean'] as const;

/** Hyperparameters of a decoder by name. */
export type DecoderSettings = Readonly<Record<string, PlainValue | readonly PlainValue[]>>;
type PlainValue = string | number | boolean | null;

export interface ProtocolManifest {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly settings: Protocol;
  /** What holds for some datasets alone, by their ids, put over `settings`. */
  readonly datasets: Readonly<Record<string, Partial<Protocol>>>;
  /** What the paper's decoders are made of, by their ids: put under a study's `decoderOptions`. */
  readonly decoders: Readonly<Record<string, DecoderSettings>>;
  /** What the reference does in place of that, put over both in mode `as-published`. */
  readonly asPublished: Partial<Protocol>;
  /** Ids of the searches for its best settings, by task; empty: nothing is searched for. */
  readonly search: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly hash: string;
}

const plain = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const decoderSettings: z.ZodType<DecoderSettings> = z.record(
  z.string(),
  z.union([plain, z.array(plain).readonly()]),
);

const share = z.number().min(0).max(1);
const positive = z.number().positive();
const settings = z.strictObject({
  crop: z.enum(CROPS),
  // smaller inputs have nothing left after five halvings; larger ones do not fit a batch
  inputSize: z.int().min(16).max(4096).nullable().default(null),
  resizeTarget: z.boolean().default(false),
  flipProbability: share.default(0),
  flips: z.enum(['horizontal', 'both']).default('horizontal'),
  bands: z.enum(BAND_RULES).default('match'),
  newBands: z.enum(['random', 'mean-of-rgb']).default('random'),
  modalities: z.string().min(1).default('all'),
  modalityMap: z
    .string()
    .regex(/^([\w-]+=[\w-]+(,[\w-]+=[\w-]+)*)?$/, 'pairs such as "optical=s2", joined by commas')
    .default(''),
  dates: z.int().min(1).nullable().default(null),
  resolutionFactor: z.int().min(1).max(1024).default(1),
  evaluationResolutionFactor: z.int().min(1).max(1024).default(1),
  labelFraction: z.number().positive().max(1).default(1),
  targetNormalization: z.enum(['none', 'z-score']).default('none'),
  temporal: z.enum(TEMPORAL).default('linear'),
  change: z.enum(['concat', 'difference']).default('concat'),
  decoderOptions: decoderSettings.default({}),
  neck: z.string().min(1).default('rescaled-pyramid'),
  frozenInTrainingMode: z.boolean().default(false),
  precision: z.enum(['float32', 'bfloat16']).default('float32'),
  checkpointBlocks: z.boolean().default(false),
  batchSize: z.int().min(1).max(4096),
  accumulate: z.int().min(1).max(4096).default(1),
  dropLast: z.boolean().default(false),
  epochs: z.int().min(1).max(100_000),
  optimizer: z.enum(['adamw', 'adam', 'sgd']),
  momentum: share.default(0.9),
  learningRate: positive,
  encoderLearningRate: positive.nullable().default(null),
  weightDecay: z.number().nonnegative(),
  spareNorms: z.boolean().default(false),
  gradientClip: positive.nullable().default(null),
  schedule: z.enum(['constant', 'multi-step', 'cosine']).default('constant'),
  milestones: z.array(share).readonly().default([0.6, 0.9]),
  gamma: positive.default(0.1),
  warmUp: share.default(0),
  loss: z.string().min(1).default('auto'),
  classWeights: z.enum(['none', 'inverse-share']).default('none'),
  selectBy: z.string().min(1).default('auto'),
  validateEvery: z.int().min(1).default(1),
  validationsPerEpoch: z.int().min(1).max(1000).default(1),
  validateUntrained: z.boolean().default(false),
  smoothing: z.int().min(1).max(99).default(1),
  patience: z.int().min(1).nullable().default(null),
  smallestGain: z.number().nonnegative().default(0),
  stopBy: z.enum(['score', 'loss']).default('score'),
  evaluation: z.enum(['tiles', 'whole', 'sliding-window', 'tiled']),
  wholeImages: z.boolean().default(false),
  // closer windows cover a pixel hundreds of times
  windowStride: z.int().min(8).nullable().default(null),
});

/** Some of the settings, without the defaults of the others. */
const some = z.strictObject(
  Object.fromEntries(
    Object.entries(settings.shape).map(([name, member]) => [
      name,
      ('removeDefault' in member ? (member.removeDefault() as z.ZodType) : (member as z.ZodType)).optional(),
    ]),
  ),
) as unknown as z.ZodType<Partial<Protocol>>;

const schema = z.strictObject({
  id: z.string(),
  title: z.string(),
  reference: z.string(),
  settings,
  datasets: z.record(z.string(), some).default({}),
  decoders: z.record(z.string(), decoderSettings).default({}),
  asPublished: some.default({}),
  search: z.record(z.string(), z.string().min(1)).default({}),
  notes: z.array(z.string()).readonly().default([]),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readProtocolManifest = (id: string): ProtocolManifest =>
  showAs<ProtocolManifest>(readManifest<Omit<ProtocolManifest, 'hash'>>('protocols', id, schema), {
    bundle: (manifest) => sheetBundle(protocolSheet(manifest)),
  });

/** What is wrong with these protocol settings: `member: reason`, or undefined if nothing is. */
export function protocolProblem(candidate: unknown): string | undefined {
  const result = settings.safeParse(candidate);
  if (result.success) return undefined;
  const issue = result.error.issues[0]!;
  return `${issue.path.join('.') || 'settings'}: ${issue.message}`;
}

/** Settings with the defaults of those that are left out. @throws what the schema throws, see `protocolProblem` */
export const completeProtocol = (given: unknown): Protocol => settings.parse(given);
