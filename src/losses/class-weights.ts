import { InputError } from '../errors.js';

export interface InverseShareOptions {
  /** PANGAEA's code: a class without a pixel gets an infinite weight. Default: it gets 0. */
  readonly isAsPublished?: boolean;
}

/**
 * Weights of classes for a cross entropy, 1 / share each (PANGAEA's weighted cross entropy). They are not normalised:
 * the mean divides by them.
 * Differs: a class that no pixel has gets weight 0, where PANGAEA divides by zero.
 * @param shares of the pixels that count, a class each; counts do as well
 * @throws InputError CLASS_SHARES for a share that is negative or no number, or where all are 0
 */
export function inverseShareWeights(
  shares: readonly number[],
  { isAsPublished = false }: InverseShareOptions = {},
): number[] {
  const wrong = shares.findIndex((share) => !(share >= 0 && share < Infinity));
  if (wrong >= 0 || shares.every((share) => share === 0)) {
    const what = wrong >= 0 ? `The share of class ${wrong} is ${shares[wrong]}` : 'No class has a pixel';
    throw new InputError('CLASS_SHARES', `${what}: weights of classes cannot be made of it.`, {
      hint: 'Count the pixels of each class of the training split, without those that are ignored.',
    });
  }
  return shares.map((share) => (share === 0 && !isAsPublished ? 0 : 1 / share));
}
