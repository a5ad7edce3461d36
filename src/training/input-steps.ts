import type { Dataset } from '../datasets/dataset.js';
import type { SampleImage } from '../datasets/sample.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import { fillInvalid } from '../preprocessing/fill-invalid.js';
import { focusCrop } from '../preprocessing/focus-crop.js';
import { importanceCrop } from '../preprocessing/importance-crop.js';
import { matchBands } from '../preprocessing/match-bands.js';
import { matchResolution } from '../preprocessing/match-resolution.js';
import { minMax, noNormalization, zScore } from '../preprocessing/normalizers.js';
import { percentileClip } from '../preprocessing/percentile-clip.js';
import { randomCrop } from '../preprocessing/crop.js';
import { resizeTo } from '../preprocessing/resize.js';
import { selectDates } from '../preprocessing/select-dates.js';
import type { MeasuredStatistics, StatisticsTable } from '../preprocessing/statistics.js';
import type { PreprocessingStep } from '../preprocessing/step.js';
import { targetZScore } from '../preprocessing/target-z-score.js';
import { InputError } from '../errors.js';
import type { FeedOptions } from './feed.js';
import { modelScale, withBands } from './encoder-steps.js';
import type { InputNormalization } from './input-normalization.js';
import { interleave } from './interleave.js';
import { spectralBands } from './spectral-bands.js';

export interface InputOptions {
  readonly dataset: Dataset;
  /** With the bands that the model takes. */
  readonly encoder: EncoderManifest;
  /** Modality of the encoder → modality of the dataset, or several joined by `+`. */
  readonly modalities: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  readonly normalization: InputNormalization;
  /** Measured over the training split, where the manifest's do not do. */
  readonly measured: MeasuredStatistics | null;
}

/**
 * What every input goes through after it is cut, in this order: dates, modalities, a coarser resolution, normalisation,
 * bands of the encoder (missing ones zero, which is the mean after a z-score), the encoder's size where images are
 * resized, holes filled with zeros, the target's scale.
 */
export function inputSteps(options: InputOptions, split: string): PreprocessingStep[] {
  const { encoder, modalities, protocol, normalization, measured } = options;
  const { dates, crop, resolutionFactor, evaluationResolutionFactor, bands } = protocol;
  const factor = resolutionFactor * (split === 'train' ? 1 : evaluationResolutionFactor);
  const statistics = measured ? { statistics: measured.images } : {};
  const size = inputSize(encoder, protocol);
  const match = matchEncoderBands(options);
  const normalize = normalizationStep(normalization, options, statistics);
  return [
    keepModalities(sourcesOf(modalities)),
    ...(dates === null ? [] : [selectDates({ count: dates })]),
    ...(factor > 1 ? [matchResolution({ factor })] : []),
    ...(bands === 'rgb' ? [rgbAlone(sourcesOf(modalities))] : []),
    ...(normalization === 'model' ? [match, normalize] : [normalize, match]),
    ...(crop === 'resize' && size !== null
      ? [resizeTo({ size, isTargetResized: protocol.resizeTarget })]
      : []),
    fillInvalid(),
    ...(protocol.targetNormalization === 'z-score' && measured?.target
      ? [targetZScore(measured.target)]
      : []),
  ];
}

/** Side of an input: the protocol's, else the encoder's; null: images as they are. */
export const inputSize = ({ imageSize }: EncoderManifest, protocol: Protocol): number | null =>
  protocol.inputSize ?? imageSize?.[0] ?? null;

/** How training images are cut. */
export function cropOf({
  encoder,
  protocol,
}: Pick<InputOptions, 'encoder' | 'protocol'>): FeedOptions['crop'] {
  const size = inputSize(encoder, protocol);
  const { crop } = protocol;
  if (crop === 'none' || crop === 'resize') return null;
  if (size === null) {
    throw new InputError('SETTING_INVALID', `crop cannot be "${crop}" without a size.`, {
      where: `encoder ${encoder.id}`,
      hint: 'Give inputSize: the encoder takes images of any size.',
    });
  }
  switch (crop) {
    case 'tiles':
    case 'grid':
      return { kind: crop, size };
    case 'random':
      return randomCrop({ size });
    case 'focus':
      return focusCrop({ size });
    case 'importance':
      return importanceCrop({ size });
  }
}

/** Whether the manifest's statistics do for these settings; else the training split is measured. */
export function needsMeasuring({
  dataset,
  modalities,
  protocol,
  normalization,
}: Omit<InputOptions, 'measured'>): boolean {
  if (protocol.targetNormalization === 'z-score') return true;
  if (normalization === 'none' || normalization === 'model') return false;
  return sourcesOf(modalities).some((name) => {
    const [statistics] = dataset.manifest.modalities[name]!.statistics.filter(
      ({ caution }) => caution === null,
    );
    if (!statistics) return true;
    const needed =
      normalization === 'min-max' ? [statistics.min, statistics.max] : [statistics.mean, statistics.std];
    return needed.some((numbers) => numbers === null || numbers.includes(null));
  });
}

function normalizationStep(
  kind: InputNormalization,
  { encoder }: InputOptions,
  statistics: { readonly statistics?: StatisticsTable },
): PreprocessingStep {
  switch (kind) {
    case 'none':
      return noNormalization();
    case 'min-max':
      return minMax(statistics);
    case 'percentile':
      return percentileClip();
    case 'z-score':
      return zScore(statistics);
    case 'model':
      return modelScale(encoder);
  }
}

function keepModalities(names: readonly string[]): PreprocessingStep {
  return {
    name: 'keep-modalities',
    options: { modalities: names },
    isRandom: false,
    apply: (sample) => ({
      ...sample,
      images: Object.fromEntries(Object.entries(sample.images).filter(([name]) => names.includes(name))),
    }),
  };
}

const rgbAlone = (names: readonly string[]): PreprocessingStep =>
  matchBands({
    bands: Object.fromEntries(names.map((name) => [name, ['red', 'green', 'blue']])),
    missing: 'error',
  });

/** Modalities and bands under the names and in the order of the encoder. */
function matchEncoderBands({ encoder, modalities, dataset, protocol }: InputOptions): PreprocessingStep {
  const bands = Object.fromEntries(
    Object.entries(encoder.modalities).map(([name, row]): [string, readonly string[]] => {
      const from = modalities[name];
      if (row.bands.length > 0 || from === undefined) return [name, row.bands];
      if (protocol.bands === 'rgb') return [name, ['red', 'green', 'blue']];
      return [name, spectralBands(dataset.manifest, from, protocol.bands).map(({ id }) => id)];
    }),
  );
  return {
    name: 'match-encoder',
    options: { bands, modalities },
    isRandom: false,
    apply(sample, context) {
      const images = Object.entries(modalities).flatMap(([to, from]): [string, SampleImage][] => {
        const parts = from.split('+').flatMap((name) => sample.images[name] ?? []);
        if (parts.length === 0) return [];
        if (parts.length > 1) return [[to, joinBands(parts, sample.id)]];
        return [[to, withBands(sample, from, bands[to]!, context)]];
      });
      return { ...sample, images: Object.fromEntries(images) };
    },
  };
}

/** Modalities of the dataset behind those of an encoder. */
export const sourcesOf = (modalities: Readonly<Record<string, string>>): string[] =>
  Object.values(modalities).flatMap((names) => names.split('+'));

/** Images of one size and as many dates as one image with all of their bands. @throws InputError MODALITIES */
function joinBands(parts: readonly SampleImage[], sample: string): SampleImage {
  const [first] = parts as [SampleImage];
  const { timeCount, height, width } = first;
  const sizeOf = (image: SampleImage): string => [image.timeCount, image.height, image.width].join(' × ');
  const other = parts.find((image) => sizeOf(image) !== sizeOf(first));
  if (other) {
    throw new InputError('MODALITIES', `Images of ${sizeOf(first)} and ${sizeOf(other)} cannot be joined.`, {
      where: `sample ${sample}`,
      hint: 'Choose modalities of one size and as many dates, or one of them.',
    });
  }
  const bands = parts.flatMap((image) => image.bands);
  const pixels = timeCount * height * width;
  const widths = parts.map((image) => image.bands.length);
  const data = new Float32Array(pixels * bands.length);
  interleave(
    data,
    parts.map((image) => image.data),
    widths,
  );
  const valid = parts.some((image) => image.valid) ? new Uint8Array(data.length) : null;
  const masks = parts.map((image) => image.valid ?? new Uint8Array(image.data.length).fill(1));
  if (valid) interleave(valid, masks, widths);
  return { ...first, data, valid, bands };
}
