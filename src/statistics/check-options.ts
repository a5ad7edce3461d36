import { nearest, UsageError } from '../errors.js';

/** More resamples than these tell nothing more, and fill the memory. */
const MOST_RESAMPLES = 10_000_000;

/** @throws UsageError STATISTIC_OPTION for a number of resamples that is not whole, below 1 or beyond all memory */
export function checkResamples(resamples: unknown): void {
  if (Number.isInteger(resamples) && Number(resamples) >= 1 && Number(resamples) <= MOST_RESAMPLES) return;
  throw wrongOption('resamples', resamples, 'a whole number from 1 to 10 000 000');
}

/** @throws UsageError STATISTIC_OPTION for a level outside 0 … 1, e.g. one in percent */
export const checkLevel = (level: unknown): void => checkShare('level', level, { isOpen: true });

/**
 * A share: 0 … 1, both included, or with `isOpen` neither.
 * @throws UsageError STATISTIC_OPTION
 */
export function checkShare(name: string, value: unknown, { isOpen = false } = {}): void {
  const isShare = typeof value === 'number' && (isOpen ? value > 0 && value < 1 : value >= 0 && value <= 1);
  if (isShare) return;
  const isPercent = typeof value === 'number' && value >= 1 && value <= 100;
  throw wrongOption(
    name,
    value,
    `between 0 and 1${isOpen ? ', both excluded' : ''}${isPercent ? `: ${value / 100} for ${value} %` : ''}`,
  );
}

/** @throws UsageError STATISTIC_OPTION for a value that is none of the known ones */
export function checkChoice(name: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return;
  const names = known.filter((one): one is string => typeof one === 'string');
  const guess = typeof value === 'string' ? nearest(value, names) : undefined;
  throw wrongOption(name, value, `one of ${known.join(', ')}`, guess);
}

export function wrongOption(name: string, value: unknown, due: string, guess?: string): UsageError {
  const given = typeof value === 'string' ? `"${value}"` : String(value);
  return new UsageError('STATISTIC_OPTION', `${name} cannot be ${given}.`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}It is ${due}.`,
  });
}
