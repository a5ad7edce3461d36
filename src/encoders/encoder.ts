import type { Tensor2D, Tensor4D, Tensor5D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import type { OwnEncoderManifest } from '../manifests/own-encoder-manifest.js';
import type { AcquisitionTime, Place } from './acquisition.js';
import type { FeatureSpec } from './feature-spec.js';

export type { FeatureSpec } from './feature-spec.js';

export type { AcquisitionTime, Place } from './acquisition.js';

/** A batch as encoders take it. What an encoder does not use may be left out. */
export interface EncoderInput {
  /**
   * By modality: [batch, height, width, band], or [batch, time, height, width, band]. Encoders of one date take a
   * time axis of 1.
   */
  readonly images: Readonly<Record<string, Tensor4D | Tensor5D>>;
  /** Centre wavelength of each band in nanometres, by modality; default what the hyperparameters say. */
  readonly wavelengths?: Readonly<Record<string, readonly number[]>>;
  /** Metres per pixel, one of the batch or one a sample. */
  readonly groundSamplingDistance?: number | readonly number[];
  /** [batch][time] */
  readonly times?: readonly (readonly AcquisitionTime[])[];
  /** [batch] */
  readonly places?: readonly Place[];
}

export interface BuiltEncoder {
  /** As `forward` gives them: finest first, plain transformers by depth. */
  readonly features: readonly FeatureSpec[];
  /** Dates of a series that `forward` takes at once; default 1: `encodeDates` gives it one date after the other. */
  readonly dates?: number | 'any';
  /**
   * One map a feature: [batch, height / stride, width / stride, channels]; encoders of series that keep the time axis
   * give [batch, time, height / stride, width / stride, channels].
   */
  readonly forward: (input: EncoderInput, context: ForwardContext) => (Tensor4D | Tensor5D)[];
  /** One vector an image, pooled as the encoder's authors do: [batch, channels]. */
  readonly embed?: (input: EncoderInput, context: ForwardContext) => Tensor2D;
  /** Frees what is not in the scope's parameters. */
  readonly dispose?: () => void;
}

/** An array in the checkpoint's axes. */
export interface WeightArray {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Changes a tensor of the checkpoint to the size that the model has. */
export interface WeightAdaptation {
  /** Of the model's name. */
  readonly match: RegExp;
  readonly adapt: (given: WeightArray, modelShape: readonly number[]) => WeightArray;
}

/**
 * How names of the checkpoint become names of the model (its path with dots: `blocks.0.attn.qkv.weight`). The first
 * rename rule that matches applies.
 */
export interface WeightRules {
  readonly rename: readonly (readonly [RegExp, string])[];
  /** Tensors of the file that this use of the encoder leaves out, on purpose. */
  readonly discard: readonly RegExp[];
  /** Parameters that may stay as they are initialised. */
  readonly optional?: readonly RegExp[];
  readonly adapt?: readonly WeightAdaptation[];
  /** Names of kernels whose filters are bands, so that an error can say so. */
  readonly bandKernels?: readonly RegExp[];
  /** Key of the checkpoint to start from where it holds several sets of weights. */
  readonly section?: string;
}

/** A layer whose kernel has filters for every band of a modality. */
export interface BandLayer {
  /** Default: the encoder's only one. */
  readonly modality?: string;
  /** Of the kernel's name as the checkpoint has it after the renaming. */
  readonly kernel: RegExp;
  /** Hyperparameters for so many bands. */
  readonly withBands: (bandCount: number) => Readonly<Record<string, unknown>>;
  /** Order of the numbers behind one output: [band, …taps], as convolutions have it, or [tap, band]. Default `band-first`. */
  readonly order?: 'band-first' | 'band-last';
}

/** What an encoder is built for. */
export interface BuildContext {
  /** Whether a known fault of the reference is on, by its id. */
  readonly isFaultOn: (id: string) => boolean;
}

/** One family of encoders; its variants are rows of hyperparameters in manifests. */
export interface EncoderFamily {
  readonly id: string;
  /** Of an encoder that has no file in data-manifests/: a user's own, with the family's id. */
  readonly manifest?: EncoderManifest;
  /**
   * Creates the parameters below `scope`.
   * @param hyperparameters of the variant, those of an adaptation (bands, input size) put over them
   * @throws InputError HYPERPARAMETERS_INVALID
   */
  readonly build: (
    scope: Scope,
    hyperparameters: Readonly<Record<string, unknown>>,
    context: BuildContext,
  ) => BuiltEncoder;
  /** How its checkpoints become a variant's parameters; `context` as for `build`, default no fault. */
  readonly weights: (
    hyperparameters: Readonly<Record<string, unknown>>,
    context?: BuildContext,
  ) => WeightRules;
  /** Layers over named bands, which can be built for other bands than the checkpoint's; none: the bands are fixed. */
  readonly bandLayers?: (hyperparameters: Readonly<Record<string, unknown>>) => readonly BandLayer[];
  /** Known faults of the reference that `BuildContext` may switch on, by id: what is wrong. */
  readonly faults: Readonly<Record<string, string>>;
  /** The checkpoint is the model itself: `build` opens the hyperparameter `file`, without parameters or gradients. */
  readonly isFrozenOnly?: boolean;
}

/** An encoder of one's own that is a manifest alone: one of Gondwana's families with other numbers and weights. */
export interface EncoderVariant {
  readonly id: string;
  readonly manifest: EncoderManifest;
}

/** What `defineEncoder` makes. */
export type EncoderDefinition = EncoderFamily | EncoderVariant;

/** Or a manifest alone, for a family of Gondwana's. */
export interface VariantParts {
  readonly manifest: OwnEncoderManifest & { readonly family: string };
  readonly build?: never;
}

/** What an author of a family writes; `H` is what `hyperparameters` makes of a variant's row. */
export interface EncoderParts<H> {
  /** Of an encoder of one's own, which then goes wherever an encoder's id goes. */
  readonly manifest?: OwnEncoderManifest;
  /** Checks a row and fills in defaults, e.g. a zod schema. Throws where it does not fit. */
  readonly hyperparameters: { parse(given: unknown): H };
  readonly build: (scope: Scope, options: H, context: BuildContext) => BuiltEncoder;
  /** Default: names of checkpoints are those of the model, and nothing is left out. */
  readonly weights?: Partial<WeightRules> | ((options: H, context: BuildContext) => Partial<WeightRules>);
  /** Default: the bands are fixed. For a kernel whose bands `bandCount` counts, its name is enough. */
  readonly bandLayers?: RegExp | ((options: H) => readonly BandLayer[]);
  readonly faults?: Readonly<Record<string, string>>;
  /** See `EncoderFamily`. Default false. */
  readonly isFrozenOnly?: boolean;
}
