import type { Sample } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { LabelArray } from '../io/raster.js';
import type { Window } from '../io/window.js';
import type { Random } from '../random.js';
import { checkFits, cropSample, type CropOptions } from './crop.js';
import { frameOf } from './move-sample.js';
import { sizeJson, sizeOption, type PreprocessingStep, type Size, type StepContext } from './step.js';

export interface FocusCropOptions extends CropOptions {
  /** Label that marks no label. Default: the dataset's ignore index. */
  readonly ignoreIndex?: number;
}

/**
 * A crop that holds a labelled pixel, drawn among all of them (MADOS).
 * With the fault `focus-crop-offsets` the window may end one pixel before the chosen one, or begin one past the last
 * place: what lies outside is then 0 in image and labels.
 * @throws UsageError STEP_OPTION; InputError CROP_TOO_LARGE, LABELS_NEEDED
 */
export function focusCrop(options: FocusCropOptions): PreprocessingStep {
  const size = sizeOption('focus-crop', options.size);
  return {
    name: 'focus-crop',
    options: { size: sizeJson(size), ignoreIndex: options.ignoreIndex ?? null },
    isRandom: true,
    apply(sample, context) {
      const frame = checkFits(sample, size);
      if (frame.height === size.height && frame.width === size.width) return sample;
      const labels = labelsOf(sample, 'focus-crop');
      const pixel = drawLabelled(labels, options.ignoreIndex ?? ignored(context), sample, context.random);
      const isFaulty = context.isOn('focus-crop-offsets');
      const window = windowAround(pixel, frame, size, isFaulty, context.random);
      return cropSample(sample, window, context, isFaulty ? { label: 0, isValid: true } : undefined);
    },
  };
}

const ignored = ({ manifest }: StepContext): number | null => manifest?.labels.ignoreIndex ?? null;

interface Pixel {
  readonly row: number;
  readonly column: number;
}

function drawLabelled(
  { data, width }: LabelArray,
  ignoreIndex: number | null,
  { id }: Sample,
  random: Random,
): Pixel {
  const labelled: number[] = [];
  for (let at = 0; at < data.length; at++) if (data[at] !== ignoreIndex) labelled.push(at);
  if (labelled.length === 0) {
    throw new InputError('LABELS_NEEDED', `Sample "${id}" has no labelled pixel to focus on.`, {
      hint: 'Leave such samples out of training, or take randomCrop.',
    });
  }
  const at = labelled[random.integer(labelled.length)]!;
  return { row: Math.floor(at / width), column: at % width };
}

function windowAround(
  { row, column }: Pixel,
  frame: Size,
  size: Size,
  isFaulty: boolean,
  random: Random,
): Window {
  const start = (at: number, side: number, length: number): number => {
    // both inclusive; the reference is off by one at both ends
    const first = Math.max(0, isFaulty ? at - side : at - side + 1);
    const last = Math.min(at, isFaulty ? length - side + 1 : length - side);
    return first + random.integer(last - first + 1);
  };
  const top = start(row, size.height, frame.height);
  return { row: top, column: start(column, size.width, frame.width), ...size };
}

/** Label map of the size of the first image. @throws InputError LABELS_NEEDED */
export function labelsOf(sample: Sample, step: string): LabelArray {
  const { target } = sample;
  const labels = target.kind === 'mask' || target.kind === 'instances' ? target.labels : undefined;
  const { height, width } = frameOf(sample);
  if (labels?.height === height && labels.width === width) return labels;
  throw new InputError(
    'LABELS_NEEDED',
    labels
      ? `The labels are ${labels.height} × ${labels.width}, the image ${height} × ${width}: ${step} needs one size.`
      : `${step} needs a label map, and the target of the sample is "${target.kind}".`,
    { where: `sample ${sample.id}`, hint: labels ? 'Resize the sample first.' : 'Take randomCrop.' },
  );
}
