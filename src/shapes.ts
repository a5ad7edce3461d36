import { InputError } from './errors.js';

/** Axis sizes by name, in memory order; `null` accepts any size. */
export type AxisSizes = Readonly<Record<string, number | null>>;

/**
 * Fails unless `shape` has exactly these axes and sizes.
 * @throws InputError SHAPE_MISMATCH, naming the first axis that differs
 */
export function checkShape(what: string, shape: readonly number[], axes: AxisSizes): void {
  const names = Object.keys(axes);
  const declared = names.map((name) => `${name} = ${axes[name] ?? 'any'}`).join(', ');
  const details = { where: what, hint: `Expected [${declared}], got [${shape.join(', ')}].` };
  if (shape.length !== names.length) {
    throw new InputError(
      'SHAPE_MISMATCH',
      `${what} has ${shape.length} axes, expected ${names.length}.`,
      details,
    );
  }
  for (const [index, name] of names.entries()) {
    const expected = axes[name];
    if (expected !== null && expected !== undefined && shape[index] !== expected) {
      throw new InputError(
        'SHAPE_MISMATCH',
        `${what} has ${name} ${shape[index]}, expected ${expected}.`,
        details,
      );
    }
  }
}

/** Number of elements of a shape; 1 for a scalar. */
export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, axis) => size * axis, 1);
