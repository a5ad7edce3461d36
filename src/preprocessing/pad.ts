import { InputError } from '../errors.js';
import { padMove, type MoveOf, type PadMode } from './grid-move.js';
import { frameOf, moveSample } from './move-sample.js';
import { badOption, sizeJson, sizeOption, type PreprocessingStep, type Size } from './step.js';

export interface PadOptions {
  /** Least height and width; or `multipleOf`. */
  readonly size?: number | Size;
  /** Height and width become the next multiple of it. */
  readonly multipleOf?: number | Size;
  /** Default `constant`. */
  readonly mode?: PadMode;
  /** Of image pixels with `constant`; they are masked. Default 0. */
  readonly value?: number;
  /** Of target pixels with `constant`. Default: the dataset's ignore index. */
  readonly label?: number;
}

const MODES: readonly PadMode[] = ['constant', 'reflect', 'replicate'];

/**
 * Adds pixels around a sample, half of them (rounded down) above and at the left.
 * @throws UsageError STEP_OPTION; InputError PAD_TOO_WIDE, SIZES_DIFFER, IGNORE_INDEX_MISSING
 */
export function padTo(given: PadOptions): PreprocessingStep {
  const { multipleOf, mode = 'constant', value = 0, label } = given;
  if (!MODES.includes(mode)) throw badOption('pad', 'mode', mode, MODES.join(', '));
  if ((given.size === undefined) === (multipleOf === undefined))
    throw badOption(
      'pad',
      'size',
      given.size ?? null,
      'a number of pixels, or multipleOf is given in its place',
    );
  const least = given.size === undefined ? null : sizeOption('pad', given.size);
  const unit = sizeOption('pad', multipleOf ?? 1);
  const missing = (frame: Size, side: 'height' | 'width'): number =>
    Math.max(Math.ceil(frame[side] / unit[side]) * unit[side], least?.[side] ?? 0) - frame[side];
  return {
    name: 'pad',
    options: {
      ...(least ? { size: sizeJson(least) } : { multipleOf: sizeJson(unit) }),
      mode,
      value,
      label: label ?? null,
    },
    isRandom: false,
    apply(sample, context) {
      const frame = frameOf(sample);
      const [down, across] = [missing(frame, 'height'), missing(frame, 'width')];
      const [top, left] = [Math.floor(down / 2), Math.floor(across / 2)];
      if (down === 0 && across === 0) return sample;
      const edges = { top, left, bottom: down - top, right: across - left };
      const outside = { image: value, ...(label !== undefined && { label }) };
      return moveSample(sample, onFrame(frame, padMove(edges, mode)), context, outside);
    },
  };
}

/** The same number of pixels is added to every grid of a sample: they must be of one size. */
const onFrame =
  (frame: Size, move: MoveOf): MoveOf =>
  (grid) => {
    if (grid.height === frame.height && grid.width === frame.width) return move(grid);
    throw new InputError(
      'SIZES_DIFFER',
      `A grid of ${grid.height} × ${grid.width} pixels cannot be padded beside one of ${frame.height} × ${frame.width}.`,
      { hint: 'Resize the modalities of the sample to one size first: resizeTo({ size }).' },
    );
  };
