import { UsageError } from '../errors.js';
import type { LossParameters } from './loss.js';

const isNumber = (value: unknown, low: number, high = Number.MAX_VALUE): boolean =>
  typeof value === 'number' && value >= low && value <= high;

const isWeights = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isNumber(one, 0));

/** What each parameter can be, and how that is said. */
const RULES: Readonly<
  Record<keyof LossParameters, readonly [isRight: (value: unknown) => boolean, due: string]>
> = {
  ignoreIndex: [(value) => value === null || Number.isFinite(value), 'a number, or null'],
  faults: [
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((on) => typeof on === 'boolean'),
    'true or false by the id of a fault',
  ],
  reduction: [(value) => value === 'mean' || value === 'sum', '"mean" or "sum"'],
  classWeights: [
    (value) => isWeights(value) && (value as number[]).some((weight) => weight > 0),
    'a number from 0 on for each class, not all 0',
  ],
  positiveWeights: [isWeights, 'a number from 0 on for each label'],
  labelSmoothing: [(value) => isNumber(value, 0, 1), 'a share, 0 … 1'],
  gamma: [(value) => isNumber(value, 0), 'a number from 0 on'],
  alpha: [(value) => value === null || isNumber(value, 0, 1), 'a share, 0 … 1, or null'],
  isNormalized: [(value) => typeof value === 'boolean', 'true or false'],
  smoothing: [(value) => isNumber(value, 0), 'a number from 0 on'],
  isLogarithmic: [(value) => typeof value === 'boolean', 'true or false'],
  bend: [(value) => isNumber(value, 0), 'a number from 0 on'],
  epsilon: [(value) => isNumber(value, 0), 'a number from 0 on'],
};

/** @throws UsageError LOSS_OPTION for a value that a parameter cannot have */
export function checkParameters(loss: string, parameters: LossParameters): void {
  for (const [name, value] of Object.entries(parameters)) {
    const [isRight, due] = RULES[name as keyof LossParameters];
    if (value === undefined || isRight(value)) continue;
    throw new UsageError('LOSS_OPTION', `${name} of the loss ${loss} cannot be ${JSON.stringify(value)}.`, {
      hint: `It is ${due}.`,
    });
  }
}

/** @throws UsageError LOSS_OPTION for weights of other classes than the logits have */
export function checkWeightCount(
  name: 'classWeights' | 'positiveWeights',
  weights: readonly number[] | undefined,
  count: number,
): void {
  if (!weights || weights.length === count) return;
  throw new UsageError('LOSS_OPTION', `There are ${weights.length} ${name} for ${count} logits.`, {
    hint: 'Give one for each class or label.',
  });
}
