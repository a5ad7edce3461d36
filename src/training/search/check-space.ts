import { InputError } from '../../errors.js';
import type { SearchDimension, SearchSpace } from './search-space.js';

/** @throws InputError SEARCH_SPACE with the dimension that cannot be searched */
export function checkSpace(space: SearchSpace): void {
  const names = Object.keys(space);
  if (names.length === 0) throw refusal('space', 'The search space has no dimension.');
  for (const name of names) {
    const problem = problemOf(space[name]!);
    if (problem !== undefined) throw refusal(`space.${name}`, `${name} ${problem}.`);
  }
}

function problemOf(dimension: SearchDimension): string | undefined {
  if (dimension.kind === 'categorical') return dimension.choices.length === 0 ? 'has no choices' : undefined;
  const { low, high, scale } = dimension;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high)
    return `runs from ${low} to ${high}, which is no range`;
  if (scale === 'log' && low <= 0) return `runs from ${low} on a logarithmic scale, which begins above 0`;
  if (dimension.kind === 'float') return undefined;
  if (!Number.isInteger(low) || !Number.isInteger(high)) return 'has ends that are not whole';
  const { step = 1 } = dimension;
  if (!Number.isInteger(step) || step < 1) return `has a step of ${step}`;
  return scale === 'log' && step !== 1 ? 'has a step on a logarithmic scale' : undefined;
}

const refusal = (where: string, message: string): InputError =>
  new InputError('SEARCH_SPACE', message, {
    where,
    hint: 'Give { kind: "float" | "int", low, high, scale } or { kind: "categorical", choices }.',
  });
