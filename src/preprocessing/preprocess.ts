import type { Sample, SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { InputCheck, type InputRow } from './input-check.js';
import {
  stepContext,
  type InputWarning,
  type PreprocessingStep,
  type PreprocessOptions,
  type StepContext,
} from './step.js';

/** One check for all samples of a dataset, or where none is named for all that go through the same list of steps. */
const checks = new WeakMap<object, Map<string, InputCheck>>();

/**
 * Applies steps in their order. The sample given stays as it is.
 *
 * Unless `checkInput` is false, normalised numbers are looked at over the first 32 samples of a dataset: a band that is
 * not near mean 0 and spread 1 (or not in its range) is told once, by `onWarning`.
 * @throws UsageError RANDOM_MISSING
 * @throws InputError NORMALIZATION_MISSING where an image was left as it was although a normalisation is among the steps
 *   or configured, NORMALIZATION_TWICE; and what the steps throw
 */
export function preprocess(
  sample: Sample,
  steps: readonly PreprocessingStep[],
  options: PreprocessOptions = {},
): Sample {
  const context = stepContext(options);
  if (!options.random && steps.some(({ isRandom }) => isRandom)) void context.random; // before any work is done
  let result = sample;
  for (const step of steps) {
    const after = apply(step, result, context);
    result = step.normalizes ? normalized(step, result, after, context) : after;
  }
  const configured = options.normalization;
  if (configured !== undefined || steps.some(({ normalizes }) => normalizes))
    requireNormalized(result, configured, context);
  if (options.checkInput !== false) tell(checkOf(steps, options, context).see(result), options);
  return result;
}

/**
 * Undoes what can be undone, last step first: normalisations of images and targets. Steps without an inverse (crops,
 * resizes) are passed over, so that the result is that sample in the units of the files.
 */
export function restoreSample(
  sample: Sample,
  steps: readonly PreprocessingStep[],
  options: PreprocessOptions = {},
): Sample {
  const context = stepContext(options);
  return steps.reduceRight((result, step) => step.inverse?.(result, context) ?? result, sample);
}

/** What a run's record keeps: name and options of each step, in order. */
export const describeSteps = (
  steps: readonly PreprocessingStep[],
): { readonly name: string; readonly options: PreprocessingStep['options'] }[] =>
  steps.map(({ name, options }) => ({ name, options }));

/** What the input check has seen of a dataset under these steps; empty before the first sample. */
export const checkedInput = (
  steps: readonly PreprocessingStep[],
  options: PreprocessOptions = {},
): InputRow[] => checkOf(steps, options, stepContext(options)).rows();

function apply(step: PreprocessingStep, sample: Sample, context: StepContext): Sample {
  const isLost = step.normalizes === true && context.isOn('normalisation-lost');
  if (!isLost) return step.apply(sample, context);
  // the reference normalises and hands the raw numbers on
  return withImages(sample, (image) => ({
    ...image,
    normalization: { by: `${step.name} (lost, as published)`, expects: 'standard' },
  }));
}

const withImages = (sample: Sample, change: (image: SampleImage, name: string) => SampleImage): Sample => ({
  ...sample,
  images: Object.fromEntries(
    Object.entries(sample.images).map(([name, image]) => [name, change(image, name)]),
  ) as Sample['images'],
});

/** Marks what a step normalised; nothing may be normalised twice. */
function normalized(step: PreprocessingStep, before: Sample, after: Sample, context: StepContext): Sample {
  return withImages(after, (image, name) => {
    const earlier = before.images[name];
    const isChanged = image.data !== earlier?.data || image.normalization !== earlier.normalization;
    if (!isChanged) return image;
    if (earlier?.normalization) {
      throw new InputError(
        'NORMALIZATION_TWICE',
        `${step.name} would normalise ${name} again, after ${earlier.normalization.by}.`,
        {
          where: `dataset ${context.dataset}, sample ${before.id}`,
          hint: 'Leave one of the steps out, name modalities for each, or preprocess the sample as it was read.',
        },
      );
    }
    return image.normalization ? image : { ...image, normalization: { by: step.name, expects: 'standard' } };
  });
}

function requireNormalized(sample: Sample, configured: string | undefined, context: StepContext): void {
  const images = Object.entries(sample.images);
  const isApplied = images.some(([, image]) => appliedTo(image) === configured);
  for (const [name, image] of images) {
    const by = appliedTo(image);
    // what is left out by name is no accident, as long as something is normalised
    if (configured === undefined ? by !== undefined : by === configured || (by === 'none' && isApplied))
      continue;
    if (configured === 'none' && by === undefined) continue;
    throw new InputError(
      'NORMALIZATION_MISSING',
      by === undefined
        ? `${name} was not normalised, though ${configured ?? 'a step for it'} is ${configured === undefined ? 'among the steps' : 'configured'}.`
        : `${name} was normalised by ${by}, and ${configured} is configured.`,
      {
        where: `dataset ${context.dataset}, sample ${sample.id}`,
        hint: 'Add the step, or noNormalization({ modalities: […] }) for images that stay as they are.',
      },
    );
  }
}

/** Name of the step that normalised an image, without what is said beside it. */
const appliedTo = ({ normalization }: SampleImage): string | undefined => normalization?.by.split(' ')[0];

function checkOf(
  steps: readonly PreprocessingStep[],
  options: PreprocessOptions,
  context: StepContext,
): InputCheck {
  const owner = options.dataset ?? steps;
  const known = checks.get(owner) ?? new Map<string, InputCheck>();
  checks.set(owner, known);
  // the same dataset under other steps has other numbers
  const key = `${context.mode} ${JSON.stringify(options.faults ?? null)} ${recordOf(steps)}`;
  const check = known.get(key) ?? new InputCheck(context.dataset);
  known.set(key, check);
  return check;
}

const records = new WeakMap<readonly PreprocessingStep[], string>();

function recordOf(steps: readonly PreprocessingStep[]): string {
  const record = records.get(steps) ?? JSON.stringify(describeSteps(steps));
  records.set(steps, record);
  return record;
}

function tell(warnings: readonly InputWarning[], { onWarning }: PreprocessOptions): void {
  for (const warning of warnings) {
    if (onWarning) onWarning(warning);
    else process.emitWarning(warning.message, { code: warning.code, type: 'InputWarning' });
  }
}
