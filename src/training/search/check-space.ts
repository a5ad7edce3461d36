import { InputError, UsageError } from '../../errors.js';
import type { Choice, SearchDimension, SearchSpace } from './search-space.js';
import type { Trial } from './trial.js';

/** @throws InputError SEARCH_SPACE with the dimension that cannot be searched */
export function checkSpace(space: SearchSpace): void {
  const names = Object.keys(space);
  if (names.length === 0) throw refusal('space', 'The search space has no dimension.');
  for (const name of names) {
    const problem = problemOf(space[name]!);
    if (problem !== undefined) throw refusal(`space.${name}`, `${name} ${problem}.`);
  }
}

/**
 * Trials of a search that goes on lie in its space: densities around a place outside of it would never meet it.
 * @throws InputError SEARCH_SPACE
 */
export function checkTrials(space: SearchSpace, trials: readonly Trial[]): void {
  for (const { number, parameters } of trials) {
    for (const [name, dimension] of Object.entries(space)) {
      const value = parameters[name];
      if (value === undefined || isInside(value, dimension)) continue;
      throw new InputError(
        'SEARCH_SPACE',
        `Trial ${number} has ${name} ${JSON.stringify(value)}, which is not in the space.`,
        {
          where: `previous, space.${name}`,
          hint: 'Go on with the trials of this space, or begin anew without `previous`.',
        },
      );
    }
  }
}

function isInside(value: Choice, dimension: SearchDimension): boolean {
  if (dimension.kind === 'categorical') return dimension.choices.includes(value);
  return typeof value === 'number' && value >= dimension.low && value <= dimension.high;
}

const KINDS: readonly unknown[] = ['float', 'int', 'categorical'];
const SCALES: readonly unknown[] = [undefined, 'linear', 'log'];

function problemOf(dimension: SearchDimension): string | undefined {
  if (typeof dimension !== 'object' || !KINDS.includes(dimension?.kind))
    return 'is no dimension of a known kind';
  if (dimension.kind === 'categorical')
    return Array.isArray(dimension.choices) && dimension.choices.length > 0 ? undefined : 'has no choices';
  const { low, high, scale } = dimension;
  if (!SCALES.includes(scale))
    return `has the scale ${JSON.stringify(scale)}, which is neither linear nor log`;
  // a range of ±1.7e308 has no length
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high || !Number.isFinite(high - low))
    return `runs from ${low} to ${high}, which is no range`;
  if (scale === 'log' && low <= 0) return `runs from ${low} on a logarithmic scale, which begins above 0`;
  if (dimension.kind === 'float') return undefined;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high))
    return `has ends that are no whole numbers below 2⁵³: ${low} and ${high}`;
  const { step = 1 } = dimension;
  if (!Number.isInteger(step) || step < 1) return `has a step of ${step}`;
  return scale === 'log' && step !== 1 ? 'has a step on a logarithmic scale' : undefined;
}

const refusal = (where: string, message: string): InputError =>
  new InputError('SEARCH_SPACE', message, {
    where,
    hint: 'Give { kind: "float" | "int", low, high, scale } or { kind: "categorical", choices }.',
  });

/**
 * Options of searches, samplers and pruners that are counts.
 * @throws UsageError SEARCH_OPTION
 */
export function checkCount(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= least) return;
  throw searchOption(name, value, `a whole number from ${least} on`);
}

export const searchOption = (name: string, value: unknown, due: string): UsageError =>
  new UsageError(
    'SEARCH_OPTION',
    `${name} cannot be ${typeof value === 'string' ? `"${value}"` : String(value)}.`,
    {
      hint: `It is ${due}.`,
    },
  );
