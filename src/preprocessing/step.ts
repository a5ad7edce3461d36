import type { Dataset } from '../datasets/dataset.js';
import type { Mode } from '../datasets/faults.js';
import type { Sample, SampleImage } from '../datasets/sample.js';
import { UsageError, nearest } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { Random } from '../random.js';

/** Plain JSON. */
export type OptionValue =
  | string
  | number
  | boolean
  | null
  | readonly OptionValue[]
  | { readonly [name: string]: OptionValue | undefined };

/** What a run's record keeps of a step. */
export type StepOptions = Readonly<Record<string, OptionValue>>;

/** What a step can ask while it works on a sample. */
export interface StepContext {
  /** Manifest of the dataset; null: the sample is of none that has one. */
  readonly manifest: DatasetManifest | null;
  /** Name for messages. */
  readonly dataset: string;
  readonly mode: Mode;
  /** Whether a known fault of the reference is switched on. */
  readonly isOn: (fault: string) => boolean;
  /** Only steps that say `isRandom` draw. */
  readonly random: Random;
}

/**
 * One step between a dataset's sample and the numbers a model gets. A step of your own is an object of this form: it
 * returns a new sample and leaves the one it was given alone.
 */
export interface PreprocessingStep {
  /** Lower-case words with hyphens, e.g. `z-score`. */
  readonly name: string;
  /** JSON: together with the name it says all that the step does, and the run's record keeps it. */
  readonly options: StepOptions;
  /** Whether it draws from the context's generator. */
  readonly isRandom: boolean;
  /** Whether it is what a run calls its normalisation: it must change every image that is not changed by another such step. */
  readonly normalizes?: boolean;
  readonly apply: (sample: Sample, context: StepContext) => Sample;
  /** Undoes it as far as it can be undone: what was clipped stays clipped. */
  readonly inverse?: (sample: Sample, context: StepContext) => Sample;
}

/** What a caller says about the samples it preprocesses. */
export interface PreprocessOptions {
  /** Where the samples come from: its bands, statistics, mode and faults are used. */
  readonly dataset?: Pick<Dataset, 'id' | 'manifest' | 'mode' | 'faults'>;
  /** Needed by steps that draw; each sample takes what comes next. */
  readonly random?: Random;
  /** Name of the normalisation that the run is configured with, e.g. `z-score`: it must have been applied. */
  readonly normalization?: string;
  /** Default: that of the dataset, else `corrected`. */
  readonly mode?: Mode;
  /** Faults switched one by one, over those of the dataset. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** Whether normalised numbers are looked at, see `InputWarning`. Default true. */
  readonly checkInput?: boolean;
  /** Called with each warning of the input check. Default: a warning of the process. */
  readonly onWarning?: (warning: InputWarning) => void;
}

/** A band whose numbers, after normalising, do not lie as they should. */
export interface InputWarning {
  readonly code: 'INPUT_UNUSUAL';
  readonly dataset: string;
  readonly modality: string;
  readonly band: string;
  /** Over the samples seen so far; invalid pixels left out. */
  readonly mean: number;
  readonly spread: number;
  readonly samples: number;
  /** One sentence. */
  readonly message: string;
}

/** @throws UsageError RANDOM_MISSING when something is drawn and no generator was given */
export function stepContext(options: PreprocessOptions): StepContext {
  const { dataset, faults = {} } = options;
  return {
    manifest: dataset?.manifest ?? null,
    dataset: dataset?.id ?? 'a sample',
    mode: options.mode ?? dataset?.mode ?? 'corrected',
    isOn: (fault) => faults[fault] ?? dataset?.faults[fault] ?? false,
    get random() {
      if (options.random) return options.random;
      throw new UsageError('RANDOM_MISSING', 'A step draws, and no generator of random numbers was given.', {
        hint: 'Give one: preprocess(sample, steps, { random: createRandom(seed) }).',
      });
    },
  };
}

/** A step that changes images alone, each by itself; `modalities` chooses, default all. */
export function mapImages(
  sample: Sample,
  modalities: readonly string[] | undefined,
  change: (image: SampleImage, modality: string) => SampleImage,
): Sample {
  for (const name of modalities ?? []) requireImage(sample, name);
  const images = Object.entries(sample.images).map(([name, image]) => [
    name,
    !modalities || modalities.includes(name) ? change(image, name) : image,
  ]);
  return { ...sample, images: Object.fromEntries(images) as Sample['images'] };
}

/** @throws UsageError MODALITY_UNKNOWN with the nearest name */
export function requireImage(sample: Sample, modality: string): SampleImage {
  const image = sample.images[modality];
  if (image) return image;
  const known = Object.keys(sample.images);
  const guess = nearest(modality, known);
  throw new UsageError('MODALITY_UNKNOWN', `Sample "${sample.id}" has no modality "${modality}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}It has ${known.join(', ') || 'none'}.`,
  });
}

/** @throws UsageError STEP_OPTION */
export function badOption(step: string, option: string, value: unknown, wanted: string): UsageError {
  return new UsageError('STEP_OPTION', `Option "${option}" of ${step} is ${JSON.stringify(value)}.`, {
    hint: `It can be ${wanted}.`,
  });
}

export interface Size {
  readonly height: number;
  readonly width: number;
}

/** One number is a square. @throws UsageError STEP_OPTION unless both are whole numbers from 1 on */
export function sizeOption(step: string, size: number | Size): Size {
  const { height, width } = typeof size === 'number' ? { height: size, width: size } : size;
  if ([height, width].every((side) => Number.isInteger(side) && side >= 1)) return { height, width };
  throw badOption(step, 'size', size, 'a number of pixels, or { height, width }');
}

/** A size as a record keeps it. */
export const sizeJson = ({ height, width }: Size): StepOptions => ({ height, width });
