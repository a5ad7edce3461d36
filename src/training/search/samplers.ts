import { InputError } from '../../errors.js';
import type { Random } from '../../random.js';
import { axisOf, type SearchDimension, type TrialParameters, type SearchSpace } from './search-space.js';
import type { SearchDirection, Trial } from './trial.js';

/** Chooses where the next trial looks. Pure: the same trials and the same generator give the same parameters. */
export type SearchSampler = (
  space: SearchSpace,
  told: {
    readonly trials: readonly Trial[];
    readonly direction: SearchDirection;
    /** Of the trial that is asked for alone. */
    readonly random: Random;
  },
) => TrialParameters;

export const mapSpace = (
  space: SearchSpace,
  choose: (dimension: SearchDimension, name: string) => TrialParameters[string],
) => Object.fromEntries(Object.entries(space).map(([name, dimension]) => [name, choose(dimension, name)]));

/** Every value alike, on the dimension's scale. */
export const randomSampler: SearchSampler = (space, told) =>
  mapSpace(space, (dimension, name) => {
    const random = told.random.split(name);
    if (dimension.kind === 'categorical') return dimension.choices[random.integer(dimension.choices.length)]!;
    const { low, high, step, fromAxis } = axisOf(dimension);
    if (step === undefined) return fromAxis(low + random.uniform() * (high - low));
    return fromAxis(low + step * random.integer(Math.round((high - low) / step) + 1));
  });

/**
 * All combinations of choices one after another, the last dimension fastest, then from the first again.
 * @throws InputError SEARCH_SPACE for a dimension of numbers, which has no grid
 */
export const gridSampler: SearchSampler = (space, { trials }) => {
  let rest = trials.filter(({ state }) => state !== 'failed').length;
  const chosen = Object.entries(space)
    .reverse()
    .map(([name, dimension]) => {
      if (dimension.kind !== 'categorical') {
        throw new InputError('SEARCH_SPACE', `${name} is a number, and a grid takes choices.`, {
          where: `space.${name}`,
          hint: 'Give { kind: "categorical", choices: […] }, or another sampler.',
        });
      }
      const { length } = dimension.choices;
      const choice = dimension.choices[rest % length]!;
      rest = Math.floor(rest / length);
      return [name, choice] as const;
    });
  return Object.fromEntries(chosen.reverse());
};
