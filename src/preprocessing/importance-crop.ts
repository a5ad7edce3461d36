import { InputError } from '../errors.js';
import type { LabelArray } from '../io/raster.js';
import type { Window } from '../io/window.js';
import { checkFits, cropSample, drawWindow, type CropOptions } from './crop.js';
import { labelsOf } from './focus-crop.js';
import { badOption, sizeJson, sizeOption, type PreprocessingStep, type StepContext } from './step.js';

export interface ImportanceCropOptions extends CropOptions {
  /** Windows that are drawn, of which one is chosen. Default 10. */
  readonly trials?: number;
  /** Share of each class, in the order of their indices. Default: those of the manifest. */
  readonly shares?: readonly number[];
  /** Label that marks no label. Default: the dataset's ignore index. */
  readonly ignoreIndex?: number;
}

/** What an ignored pixel counts beside 1 / share of a class. */
const IGNORED_WEIGHT = 1e-6;

/**
 * Of several random crops one, with a chance in proportion to the mean of 1 / share of the classes in it (xView2).
 * @throws UsageError STEP_OPTION; InputError CROP_TOO_LARGE, LABELS_NEEDED, CLASS_SHARES
 */
export function importanceCrop(options: ImportanceCropOptions): PreprocessingStep {
  const size = sizeOption('importance-crop', options.size);
  const { trials = 10 } = options;
  if (!(Number.isInteger(trials) && trials >= 1))
    throw badOption('importance-crop', 'trials', trials, 'a whole number from 1 on');
  return {
    name: 'importance-crop',
    options: {
      size: sizeJson(size),
      trials,
      shares: options.shares ?? null,
      ignoreIndex: options.ignoreIndex ?? null,
    },
    isRandom: true,
    apply(sample, context) {
      const frame = checkFits(sample, size);
      const labels = labelsOf(sample, 'importance-crop');
      const shares = options.shares ?? manifestShares(context);
      const ignoreIndex = options.ignoreIndex ?? context.manifest?.labels.ignoreIndex ?? null;
      const windows = Array.from({ length: trials }, () => drawWindow(frame, size, context.random));
      const chances = importance(labels, windows, shares, ignoreIndex);
      let left = context.random.uniform();
      const chosen = chances.findIndex((chance) => (left -= chance) < 0);
      return cropSample(sample, windows.at(chosen)!, context); // −1, a rounding apart from 1, is the last
    },
  };
}

/** Chance of each window; they add up to 1. */
export function importance(
  { data, width }: LabelArray,
  windows: readonly Window[],
  shares: readonly number[],
  ignoreIndex: number | null,
): number[] {
  const weights = windows.map((window) => {
    let sum = 0;
    for (let row = window.row; row < window.row + window.height; row++) {
      for (let column = window.column; column < window.column + window.width; column++) {
        const label = data[row * width + column]!;
        sum += label === ignoreIndex ? IGNORED_WEIGHT : 1 / requireShare(shares, label);
      }
    }
    return sum / (window.height * window.width);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function requireShare(shares: readonly number[], label: number): number {
  const share = shares[label];
  if (share !== undefined && share > 0) return share;
  throw new InputError(
    'CLASS_SHARES',
    `Class ${label} is in the labels, and its share is ${share ?? 'unknown'}.`,
    {
      hint: 'Give the share of every class, above 0: importanceCrop({ size, shares: [0.9, 0.1] }).',
    },
  );
}

function manifestShares({ manifest, dataset }: StepContext): number[] {
  const shares = manifest?.classes.map(({ share }) => share);
  if (shares && !shares.includes(null)) return shares as number[];
  throw new InputError('CLASS_SHARES', 'The shares of the classes are not known.', {
    where: `dataset ${dataset}`,
    hint: 'Give them: importanceCrop({ size, shares: [0.9, 0.1] }).',
  });
}
