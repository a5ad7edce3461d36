import type { Sample, TargetOf } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { badOption, type PreprocessingStep } from './step.js';

export interface TargetZScoreOptions {
  /** Of the training split: `(await measureStatistics(dataset.samples('train'))).target`. */
  readonly mean: number;
  readonly std: number;
}

/** The 98th percentile of the biomass of the training split, by which the reference divides. */
const BIOMASS_DIVISOR = 289.89;

/**
 * z-score of a regression's target. What was done travels with the target: `restoreTarget` takes predictions back to the
 * stored unit. With the fault `target-scale` the target is divided by 289.89, as GEO-Bench-2's BioMassters is.
 * @throws UsageError STEP_OPTION; when applied InputError TARGET_KIND, NORMALIZATION_TWICE
 */
export function targetZScore({ mean, std }: TargetZScoreOptions): PreprocessingStep {
  const name = 'target-z-score';
  if (!Number.isFinite(mean)) throw badOption(name, 'mean', mean, 'a number');
  if (!(std > 0 && std < Infinity)) throw badOption(name, 'std', std, 'a number above 0');
  return {
    name,
    options: { mean, std },
    isRandom: false,
    apply(sample, context) {
      const isScaled = context.isOn('target-scale');
      const [shift, scale] = isScaled ? [0, BIOMASS_DIVISOR] : [mean, std];
      const target = valuesOf(sample, name);
      if (target.normalization) {
        throw new InputError(
          'NORMALIZATION_TWICE',
          `The target was normalised by ${target.normalization.by} already.`,
          {
            where: `dataset ${context.dataset}, sample ${sample.id}`,
            hint: 'Leave one of the steps out, or preprocess the sample as it was read.',
          },
        );
      }
      const values = Float32Array.from(target.values, (value) => (value - shift) / scale);
      const normalization = { by: isScaled ? 'target-scale' : name, shift, scale };
      return { ...sample, target: { ...target, values, normalization } };
    },
    inverse(sample) {
      const { normalization: _, ...target } = valuesOf(sample, name);
      const values = restoreTarget(target.values, sample.target as TargetOf<'values'>);
      return { ...sample, target: { ...target, values } };
    },
  };
}

function valuesOf(sample: Sample, step: string): TargetOf<'values'> {
  if (sample.target.kind === 'values') return sample.target;
  throw new InputError(
    'TARGET_KIND',
    `${step} needs values to predict, and the target is "${sample.target.kind}".`,
    {
      where: `sample ${sample.id}`,
      hint: 'It is a step for regression.',
    },
  );
}

/** Values in the scale of a target, e.g. predictions for it, in the unit of the files. @returns a new array */
export function restoreTarget(
  values: ArrayLike<number>,
  target: Pick<TargetOf<'values'>, 'normalization'>,
): Float32Array {
  const { shift, scale } = target.normalization ?? { shift: 0, scale: 1 };
  return Float32Array.from(values, (value) => value * scale + shift);
}
