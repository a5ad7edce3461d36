import { InputError } from '../errors.js';

export interface CheckTargetOptions {
  readonly classCount: number;
  readonly ignoreIndex?: number | null;
  /** Of the target's length, 1: counts. */
  readonly validity?: ArrayLike<number> | null;
  /** File or sample, for the error. */
  readonly where?: string;
  /** Columns of a mask, so that the error names row and column. */
  readonly width?: number;
}

/**
 * Looks at the classes of a target before hours are spent.
 * @returns how many elements count, i.e. are valid and not ignored
 * @throws InputError CLASS_OUT_OF_RANGE with the sample, the place and the value
 */
export function checkTarget(target: ArrayLike<number>, options: CheckTargetOptions): number {
  const { classCount, ignoreIndex = null, validity } = options;
  let counted = 0;
  for (let at = 0; at < target.length; at++) {
    const value = target[at]!;
    if (value === ignoreIndex || (validity && !validity[at])) continue;
    if (!(Number.isInteger(value) && value >= 0 && value < classCount)) throw outOfRange(value, at, options);
    counted += 1;
  }
  return counted;
}

function outOfRange(value: number, at: number, options: CheckTargetOptions): InputError {
  const { classCount, ignoreIndex = null, where = '', width } = options;
  const place = width ? `row ${Math.floor(at / width)}, column ${at % width}` : `element ${at}`;
  return new InputError('CLASS_OUT_OF_RANGE', `The class ${value} at ${place} of a target is none.`, {
    where,
    hint: `Classes are 0 … ${classCount - 1}, ignored is ${ignoreIndex ?? 'nothing'}. Correct the file, or the manifest's classes and label rules.`,
  });
}

/**
 * @param counted sum of what `checkTarget` returned for a split
 * @throws InputError ALL_PIXELS_IGNORED where it is 0: there is nothing to learn or to score
 */
export function checkSomethingCounts(counted: number, split: string, where: string): void {
  if (counted > 0) return;
  throw new InputError('ALL_PIXELS_IGNORED', `Every target of the split "${split}" is ignored or invalid.`, {
    where,
    hint: 'Look at the ignore index and the label rules of the manifest: do they fit the values of the files?',
  });
}
