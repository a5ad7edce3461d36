import { InputError } from '../errors.js';

/** A part of an array: along each axis, where it starts (from 0) and how many it takes. */
export interface Selection {
  readonly start: readonly number[];
  readonly count: readonly number[];
}

/** The selection, or the whole array where none is given. @throws InputError SELECTION_OUTSIDE */
export function selectionWithin(
  given: Selection | undefined,
  shape: readonly number[],
  where: string,
): Selection {
  const { start, count } = given ?? { start: shape.map(() => 0), count: shape };
  const isInside =
    start.length === shape.length &&
    count.length === shape.length &&
    shape.every((size, axis) => {
      const [from, length] = [start[axis]!, count[axis]!];
      return (
        Number.isInteger(from) &&
        Number.isInteger(length) &&
        from >= 0 &&
        length >= 0 &&
        from + length <= size
      );
    });
  if (isInside) return { start: [...start], count: [...count] };
  throw new InputError(
    'SELECTION_OUTSIDE',
    `The part [${start.join(', ')}] + [${count.join(', ')}] does not lie in [${shape.join(', ')}].`,
    { where, hint: 'Starts count from 0; give a start and a count for every axis.' },
  );
}
