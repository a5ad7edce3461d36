import type { ImageNormalization, SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { changeValues, statisticsJson, type Change } from './band-values.js';
import type { NormalizerOptions } from './normalizers.js';
import { bandNumbers, type BandLookup } from './statistics.js';
import { badOption, mapImages, type OptionValue, type PreprocessingStep, type StepContext } from './step.js';

export const GEOBENCH2_NORMALIZERS = ['z-score', 'clip-z-score', 'rescale', 'satmae', 'clip'] as const;
export type Geobench2Normalizer = (typeof GEOBENCH2_NORMALIZERS)[number];

/** Limits of a statistics file, by the name it has for the modality. */
export interface ClipLimits {
  readonly min: Readonly<Record<string, number>>;
  readonly max: Readonly<Record<string, number>>;
}

/** Mean and spread of bands after the first stage. */
export interface SecondStage {
  readonly mean: Readonly<Record<string, number>>;
  readonly std: Readonly<Record<string, number>>;
}

export interface Geobench2Options extends NormalizerOptions {
  readonly kind: Geobench2Normalizer;
  /** For `clip`, `clip-z-score` and `rescale`: one pair for all bands of a modality. */
  readonly clip?: ClipLimits;
  /** Key of the data under which the reference looks for limits. Default: `image`, with several modalities `image_<modality>`. */
  readonly key?: string;
  /** For `rescale` and `satmae`. Default 0 … 1. */
  readonly range?: readonly [number, number];
  /** For `satmae`: a z-score after it, by band. */
  readonly secondStage?: SecondStage;
}

/** Added to every spread and width. */
const EPSILON = 1e-6;

interface Pair {
  readonly change: Change;
  readonly back: Change;
}

type PairOf = (time: number, band: number) => Pair;

/**
 * The normalisers of GEO-Bench-2. Limits are looked up under the modality's own name, then under `key`. In `as-published`
 * mode only under `key`, as the reference does, which stores them under other names: the limits are then NaN, and so are
 * all values.
 * @throws UsageError STEP_OPTION; when applied InputError STATISTICS_MISSING
 */
export function geobench2Normalize(options: Geobench2Options): PreprocessingStep {
  const name = 'geobench2-normalize';
  const { kind, range = [0, 1], clip, secondStage, modalities } = options;
  if (!GEOBENCH2_NORMALIZERS.includes(kind))
    throw badOption(name, 'kind', kind, GEOBENCH2_NORMALIZERS.join(', '));
  if (!(range[0] < range[1])) throw badOption(name, 'range', range, 'two numbers, least first');
  const expects = kind.endsWith('z-score') || secondStage ? 'standard' : kind === 'clip' ? null : range;
  const normalization: ImageNormalization = { by: name, expects };
  const pairs = (image: SampleImage, modality: string, count: number, context: StepContext): PairOf => {
    const key = options.key ?? (count === 1 ? 'image' : `image_${modality}`);
    return pairsOf({ ...options, key }, range, image, modality, context);
  };
  return {
    name,
    options: {
      kind,
      ...statisticsJson(options),
      range,
      clip: clip ? json(clip) : null,
      key: options.key ?? null,
      secondStage: secondStage ? json(secondStage) : null,
      modalities: modalities ?? null,
    },
    isRandom: false,
    normalizes: true,
    apply: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const of = pairs(image, modality, Object.keys(sample.images).length, context);
        return changeValues(image, (time, band) => of(time, band).change, normalization);
      }),
    inverse: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const of = pairs(image, modality, Object.keys(sample.images).length, context);
        return changeValues(image, (time, band) => of(time, band).back);
      }),
  };
}

const json = (value: ClipLimits | SecondStage): OptionValue =>
  JSON.parse(JSON.stringify(value)) as OptionValue;

function pairsOf(
  { kind, clip, key, secondStage, ...options }: Geobench2Options & { readonly key: string },
  range: readonly [number, number],
  image: SampleImage,
  modality: string,
  context: StepContext,
): PairOf {
  const numbers = (quantity: 'mean' | 'std'): BandLookup =>
    bandNumbers(image, modality, quantity, options, context);
  const standard = (): PairOf => {
    const [mean, std] = [numbers('mean'), numbers('std')];
    return (time, band) => linear(mean(time, band), std(time, band) + EPSILON);
  };
  if (kind === 'z-score') return standard();
  if (kind === 'satmae') {
    const [mean, std] = [numbers('mean'), numbers('std')];
    return (time, band) =>
      satmae(mean(time, band), std(time, band), range, stageOf(secondStage, image, band, context));
  }
  const limits = limitsOf(clip, modality, key, context);
  if (kind === 'clip') return () => ({ change: clamp(...limits), back: (value) => value });
  const first = rescale(...limits);
  if (kind === 'rescale')
    return () => ({ change: onto(range, first.change), back: (value) => first.back(off(range, value)) });
  const [mean, std] = [numbers('mean'), numbers('std')];
  return (time, band) => {
    const { shift, scale } = first;
    const second = linear((mean(time, band) + shift) / scale, std(time, band) / scale + EPSILON);
    const unit = clamp(0, 1);
    return {
      change: (value) => second.change(unit(first.change(value))),
      back: (value) => first.back(second.back(value)),
    };
  };
}

const linear = (shift: number, scale: number): Pair => ({
  change: (value) => (value - shift) / scale,
  back: (value) => value * scale + shift,
});

/** NaN limits give NaN, as PyTorch's `clamp`. */
const clamp =
  (low: number, high: number): Change =>
  (value) =>
    Math.min(high, Math.max(low, value));

const onto =
  ([low, high]: readonly [number, number], change: Change): Change =>
  (value) =>
    change(value) * (high - low) + low;

const off = ([low, high]: readonly [number, number], value: number): number => (value - low) / (high - low);

/** Clipped, shifted where the least is negative, and divided by what is between the limits. */
function rescale(low: number, high: number): Pair & { readonly shift: number; readonly scale: number } {
  const shift = low < 0 ? -low : 0;
  const scale = high + shift - Math.max(low + shift, 0);
  const clipped = clamp(low, high);
  return {
    shift,
    scale,
    change: (value) => (clipped(value) + shift) / scale,
    back: (value) => value * scale - shift,
  };
}

function satmae(mean: number, std: number, range: readonly [number, number], stage: Pair | null): Pair {
  const [low, high] = [mean - 2 * std, mean + 2 * std];
  const unit = clamp(0, 1);
  const first: Change = onto(range, (value) => unit((value - low) / (high - low + EPSILON)));
  const back: Change = (value) => off(range, value) * (high - low) + low;
  if (!stage) return { change: first, back };
  return { change: (value) => stage.change(first(value)), back: (value) => back(stage.back(value)) };
}

function stageOf(
  stage: SecondStage | undefined,
  image: SampleImage,
  band: number,
  context: StepContext,
): Pair | null {
  if (!stage) return null;
  const name = image.bands[band]!;
  const [mean, std] = [stage.mean[name], stage.std[name]];
  if (mean !== undefined && std !== undefined) return linear(mean, std + EPSILON);
  throw new InputError('STATISTICS_MISSING', `The second stage has no mean and spread of band ${name}.`, {
    where: `dataset ${context.dataset}`,
    hint: `It knows ${Object.keys(stage.mean).join(', ')}.`,
  });
}

function limitsOf(
  clip: ClipLimits | undefined,
  modality: string,
  key: string,
  { mode, dataset }: StepContext,
): [number, number] {
  const isPublished = mode === 'as-published';
  const names = isPublished ? [key] : [modality, key];
  const of = (limits: Readonly<Record<string, number>> | undefined): number =>
    limits?.[names.find((name) => limits[name] !== undefined) ?? ''] ?? Number.NaN;
  const found: [number, number] = [of(clip?.min), of(clip?.max)];
  if (isPublished || !found.some(Number.isNaN)) return found;
  throw new InputError('STATISTICS_MISSING', `There are no limits of ${modality} to clip to.`, {
    where: `dataset ${dataset}`,
    hint: `Give them: clip: { min: { ${modality}: 0 }, max: { ${modality}: 10000 } }.`,
  });
}
