import type { Dataset } from '../datasets/dataset.js';
import type { Sample, SampleImage } from '../datasets/sample.js';
import type { Encoder, EncoderSample } from '../encoders/open-encoder.js';
import { InputError } from '../errors.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import { isPlaced } from '../datasets/places/footprint.js';
import type { Projections } from '../datasets/places/projections.js';
import { fillInvalid } from '../preprocessing/fill-invalid.js';
import { matchBands } from '../preprocessing/match-bands.js';
import { noNormalization, zScore } from '../preprocessing/normalizers.js';
import { resizeTo } from '../preprocessing/resize.js';
import type { StatisticsTable } from '../preprocessing/statistics.js';
import type { PreprocessingStep, StepContext } from '../preprocessing/step.js';

export interface EncoderStepsOptions {
  /**
   * `dataset`: z-score by the dataset's statistics, as the benchmarks do; `model`: by those the checkpoint was trained
   * with; `none`. Default `dataset`.
   */
  readonly normalization?: 'dataset' | 'model' | 'none';
  /** Statistics of the dataset, where its manifest has none. */
  readonly statistics?: StatisticsTable;
  /** Side in pixels to which images are resized, or `keep`. Default: the encoder's image size, if it has one. */
  readonly size?: number | 'keep';
  /** Names of the sample's modalities by those of the encoder, e.g. `{ optical: 's2' }`. Default: equal ones, else the only one. */
  readonly modalities?: Readonly<Record<string, string>>;
}

/**
 * The steps that make a dataset's sample what an encoder takes: modalities by its names, its bands in its order (missing
 * ones zero), normalised, resized, holes filled with zeros.
 * @throws InputError STATISTICS_MISSING for `model` where the checkpoint's are not known
 */
export function encoderSteps(encoder: Encoder, options: EncoderStepsOptions = {}): PreprocessingStep[] {
  const { normalization = 'dataset', statistics, modalities = {} } = options;
  const { imageSize } = encoder.manifest;
  const size = options.size ?? imageSize?.[0] ?? 'keep';
  const normalize = normalizationStep(encoder, normalization, statistics);
  const match = matchEncoder(encoder.manifest, modalities);
  return [
    // each kind of statistics goes by the names that its numbers have
    ...(normalization === 'model' ? [match, normalize] : [normalize, match]),
    ...(size === 'keep' ? [] : [resizeTo({ size })]),
    fillInvalid(),
  ];
}

function normalizationStep(
  { manifest }: Encoder,
  kind: 'dataset' | 'model' | 'none',
  statistics: StatisticsTable | undefined,
): PreprocessingStep {
  if (kind === 'none') return noNormalization();
  return kind === 'dataset' ? zScore(statistics ? { statistics } : {}) : modelScale(manifest);
}

/**
 * z-score by the numbers that a checkpoint was trained with, of images under the encoder's names. Images of no modality of
 * its own go by the first one's.
 * @throws InputError STATISTICS_MISSING where they are not known
 */
export function modelScale({ id, weights, modalities }: EncoderManifest): PreprocessingStep {
  const [first] = Object.keys(modalities);
  const input = weights?.input;
  if (!input || first === undefined) throw unknownScale(id, first ?? 'its images');
  const tableOf = (name: string): StatisticsTable[string] => {
    const modality = Object.hasOwn(modalities, name) ? name : first;
    const scale = modality === first ? input : input.others?.[modality];
    if (!scale) throw unknownScale(id, modality);
    return { bands: modalities[modality]!.bands, mean: scale.mean, std: scale.standardDeviation };
  };
  const known = Object.keys(modalities).filter((name) => name === first || input.others?.[name]);
  return {
    name: 'model-z-score',
    options: Object.fromEntries(known.map((name) => [name, { ...tableOf(name) }])),
    isRandom: false,
    normalizes: true,
    apply(sample, context) {
      const statistics = Object.fromEntries(Object.keys(sample.images).map((name) => [name, tableOf(name)]));
      const scaled = zScore({ statistics }).apply(sample, context);
      return input.isStandard === false ? withoutPromise(scaled) : scaled;
    },
  };
}

/** A sample whose numbers are in a range of the model's own: they are not checked against mean 0 and spread 1. */
const withoutPromise = (sample: Sample): Sample => ({
  ...sample,
  images: Object.fromEntries(
    Object.entries(sample.images).map(([name, { normalization, ...image }]) => [
      name,
      { ...image, ...(normalization && { normalization: { ...normalization, expects: null } }) },
    ]),
  ),
});

const unknownScale = (id: string, modality: string): InputError =>
  new InputError('STATISTICS_MISSING', `What ${id} was trained with is not known of ${modality}.`, {
    where: `data-manifests/encoders/${id}.json`,
    hint: 'Normalise by the dataset: its z-score is what the benchmarks use.',
  });

/** One modality of a sample with these bands, missing ones zero. @throws what matchBands throws */
export const withBands = (
  sample: Sample,
  modality: string,
  bands: readonly string[],
  context: StepContext,
): SampleImage => matchBands({ bands: { [modality]: bands } }).apply(sample, context).images[modality]!;

/** Modalities and bands as the encoder has them. @throws when applied InputError MODALITIES, and what matchBands throws */
function matchEncoder(
  { modalities }: EncoderManifest,
  chosen: Readonly<Record<string, string>>,
): PreprocessingStep {
  const wanted = Object.keys(modalities);
  return {
    name: 'match-encoder',
    options: { bands: Object.fromEntries(wanted.map((name) => [name, modalities[name]!.bands])), chosen },
    isRandom: false,
    apply(sample, context) {
      const names = Object.keys(sample.images);
      const images = wanted.flatMap((name): [string, SampleImage][] => {
        const from = chosen[name] ?? (names.includes(name) ? name : onlyOne(names, wanted));
        const image = from === undefined ? undefined : sample.images[from];
        if (from === undefined || !image) return [];
        const { bands } = modalities[name]!;
        if (bands.length === 0) return [[name, image]];
        return [[name, withBands(sample, from, bands, context)]];
      });
      if (images.length > 0) return { ...sample, images: Object.fromEntries(images) };
      throw new InputError(
        'MODALITIES',
        `The encoder takes ${wanted.join(', ')}, and the sample has ${names.join(', ')}.`,
        { where: sample.id, hint: 'Say which is which, e.g. modalities: { optical: "s2" }.' },
      );
    },
  };
}

const onlyOne = (names: readonly string[], wanted: readonly string[]): string | undefined =>
  names.length === 1 && wanted.length === 1 ? names[0] : undefined;

/**
 * What an encoder can use of a sample beside its pixels: dates, place, ground sampling distance.
 * @param projections one for all samples: a coordinate system is looked up once
 * @param known where the sample comes from; `gsdM` is put over what its manifest says
 */
export async function encoderSample(
  sample: Sample,
  projections: Projections,
  known: { readonly dataset?: Dataset | undefined; readonly gsdM?: number | undefined } = {},
): Promise<EncoderSample> {
  const images = Object.values(sample.images);
  const times = images[0]?.dates.map(timeOf);
  const placed = images.find(isPlaced);
  const middle = placed && (await projections.middleOf(placed));
  const gsd = known.gsdM ?? known.dataset?.manifest.gsdM ?? null;
  return {
    images: sample.images,
    ...(times?.every((time) => time !== undefined) && { times }),
    ...(middle && { place: { longitude: middle[0], latitude: middle[1] } }),
    ...(gsd !== null && { groundSamplingDistance: gsd }),
  };
}

/** `YYYY-MM-DD`, or the middle of `YYYY-MM`. */
function timeOf(date: string | null): { year: number; dayOfYear: number } | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?/.exec(date ?? '') ?? [];
  if (year === undefined || month === undefined) return undefined;
  const start = Date.UTC(Number(year), 0, 1);
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 15));
  return { year: Number(year), dayOfYear: 1 + Math.round((at - start) / 86_400_000) };
}
