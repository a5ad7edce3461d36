import type { LoadReport } from '../checkpoints/load-report.js';
import { switchFaults, type Mode } from '../datasets/faults.js';
import { tf, type Tensor, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import { createDeferredScope, createScope, type ParameterStore } from '../layers/parameters.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import { createRandom, type Random } from '../random.js';
import type { BandAdaptation, BandOptions } from './band-options.js';
import type { BuiltEncoder, EncoderInput } from './encoder.js';
import { frozenOnly, neverRandom } from './frozen-only.js';
import { loadWeights } from './load-weights.js';
import type { OwnEncoder } from './own-encoder.js';
import { planBands, type BandPlan } from './plan-bands.js';
import { resolveEncoder } from './register-encoder.js';

/** What an encoder is built with. */
export interface AdaptedEncoderOptions extends BandOptions {
  /** Its checkpoint (`fetchWeights`); null: it starts from random numbers. */
  readonly weightsFile: string | null;
  /** Put over those of the manifest. */
  readonly hyperparameters?: Readonly<Record<string, unknown>> | undefined;
  /** `as-published` switches every known fault of the reference on. Default: `corrected`. */
  readonly mode?: Mode;
  /** Faults switched one by one, over what `mode` says. */
  readonly faults?: Readonly<Record<string, boolean>> | undefined;
  /** Of random weights, and of filters for new bands. Default 0. */
  readonly seed?: number;
  /** Whether it will be trained. Default false. */
  readonly isTrained?: boolean;
  /** Stream of random weights; default made from `seed`. */
  readonly random?: Random;
}

/** An encoder with its weights, for images of the bands that were asked for. */
export interface AdaptedEncoder extends BuiltEncoder {
  /** With the bands of the images. */
  readonly manifest: EncoderManifest;
  /** Every known fault of the reference, and whether it is on. */
  readonly faultsOn: Readonly<Record<string, boolean>>;
  /** Where every tensor of the file went; null for random weights, and where the file is the model. */
  readonly report: LoadReport | null;
  /** What became of the checkpoint's bands, by modality; empty: the images have them. */
  readonly bands: readonly BandAdaptation[];
}

/**
 * Builds an encoder for images of any bands, its parameters in `store` under `encoder/`. What benchmarks do where dataset
 * and encoder differ in bands:
 *
 * - PANGAEA: `{ bands, newBands: 'ignore', missingBands: 'zero' }`: the bands that both have, zeros for the others; the
 *   model stays as it is.
 * - GEO-Bench-2: `{ bands, newBands: 'random' }` or `'mean-of-rgb'`: filters of bands that both have are kept, the others
 *   of the first layer are new.
 *
 * `bands` are those of the dataset, by modality of the encoder; `forward` and `embed` take images that have them in this
 * order.
 * @param encoder id of a manifest, or another name of it; or what `defineEncoder` makes
 * @throws InputError MANIFEST_UNKNOWN, HYPERPARAMETERS_INVALID, CHECKPOINT_KEYS, CHECKPOINT_SHAPE, BANDS_…, MODALITIES, and
 *   what openCheckpoint throws; UsageError FAULT_UNKNOWN, ENCODER_FROZEN_ONLY. Parameters that are in the store by then stay there.
 */
export async function adaptedEncoder(
  encoder: string | OwnEncoder,
  store: ParameterStore,
  options: AdaptedEncoderOptions,
): Promise<AdaptedEncoder> {
  const { weightsFile, mode = 'corrected', seed = 0 } = options;
  const { manifest: asGiven, family } = await resolveEncoder(encoder);
  if (family.isFrozenOnly) {
    if (options.isTrained) throw frozenOnly(asGiven.id);
    if (weightsFile === null) throw neverRandom(asGiven.id);
  }
  const plan = planBands(family, asGiven, options, seed);
  const { manifest, hyperparameters } = plan;
  const faultsOn = switchFaults(manifest.id, Object.keys(family.faults), mode, options.faults);
  const context = { isFaultOn: (id: string): boolean => faultsOn[id] ?? false };
  const random = options.random ?? createRandom(seed).split('weights');
  const scope = (weightsFile === null ? createScope : createDeferredScope)(store, random);
  const built = family.build(
    scope.child('encoder'),
    family.isFrozenOnly
      ? { ...hyperparameters, file: weightsFile, bandCounts: bandCountsOf(plan) }
      : hyperparameters,
    context,
  );
  let report: LoadReport | null = null;
  if (weightsFile !== null && !family.isFrozenOnly) {
    const rules = family.weights(hyperparameters, context);
    report = await loadWeights(weightsFile, store, 'encoder', {
      ...rules,
      adapt: [...plan.rules, ...(rules.adapt ?? [])],
      bandKernels: plan.kernels,
    });
  }
  return {
    ...arranging(built, manifest, plan.arrange),
    ...{ manifest, faultsOn, report, bands: plan.adaptations() },
  };
}

/** Bands that the model itself takes, where they are named. */
function bandCountsOf({ manifest, arrange }: BandPlan): Record<string, number> {
  const counts = Object.entries(manifest.modalities).map(
    ([name, { bands }]) => [name, arrange[name]?.length ?? bands.length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The encoder behind a step that brings the bands of images to their places. */
function arranging(
  built: BuiltEncoder,
  { modalities }: EncoderManifest,
  arrange: Readonly<Record<string, readonly number[]>>,
): BuiltEncoder {
  if (Object.keys(arrange).length === 0) return built;
  const [only, ...others] = Object.keys(modalities);
  const arranged = (input: EncoderInput): EncoderInput => {
    const images = Object.entries(input.images).map(([name, image]) => {
      // encoders of one modality take it under any name
      const modality = Object.hasOwn(modalities, name) || others.length > 0 ? name : only!;
      const places = arrange[modality];
      return [name, places ? takeBands(image, name, modalities[modality]!.bands, places) : image] as const;
    });
    return { ...input, images: Object.fromEntries(images) };
  };
  const { embed } = built;
  return {
    ...built,
    forward: (input, context) => built.forward(arranged(input), context),
    ...(embed && { embed: (input, context) => embed(arranged(input), context) }),
  };
}

/**
 * @param places of each band of the result among those of the image; −1: zeros
 * @throws InputError SHAPE_MISMATCH
 */
function takeBands(
  image: Tensor4D | Tensor5D,
  name: string,
  bands: readonly string[],
  places: readonly number[],
): Tensor4D | Tensor5D {
  const axis = image.rank - 1;
  const bandCount = image.shape[axis]!;
  if (bandCount !== bands.length) {
    throw new InputError('SHAPE_MISMATCH', `${name} has ${bandCount} bands, expected ${bands.length}.`, {
      where: `images.${name}`,
      hint: `The encoder was built for images of ${bands.join(', ')}.`,
    });
  }
  const parts: Tensor[] = tf.split(image, bandCount, axis);
  const zeros = tf.zerosLike(parts[0]!);
  return tf.concat(
    places.map((place) => parts[place] ?? zeros),
    axis,
  ) as Tensor4D | Tensor5D;
}
