import { checkChoice } from './check-options.js';

/**
 * How p values of several comparisons are raised, so that some small ones are due to chance no more often than said:
 * - `bonferroni`: times their number.
 * - `holm` (Holm 1979): as sure as Bonferroni and never worse: the smallest times m, the next times m − 1, ….
 * - `benjamini-hochberg` (1995): bounds the share of false ones among those called different, not the chance of any.
 */
export type Correction = 'bonferroni' | 'holm' | 'benjamini-hochberg';

/**
 * Raised p values, at most 1, in the order given; null stays null and does not count as a comparison.
 * @throws UsageError STATISTIC_OPTION
 */
export function adjustPValues(
  pValues: readonly (number | null)[],
  correction: Correction,
): (number | null)[] {
  checkChoice('correction', correction, ['bonferroni', 'holm', 'benjamini-hochberg']);
  const known = pValues.flatMap((p, i) => (p === null ? [] : [{ p, i }])).sort((a, b) => a.p - b.p);
  const count = known.length;
  const adjusted = pValues.map((): number | null => null);
  const give = (at: number, p: number): void => void (adjusted[known[at]!.i] = Math.min(1, p));
  if (correction === 'benjamini-hochberg') {
    let least = 1;
    for (let at = count - 1; at >= 0; at--) {
      least = Math.min(least, (known[at]!.p * count) / (at + 1));
      give(at, least);
    }
    return adjusted;
  }
  let most = 0;
  for (let at = 0; at < count; at++) {
    most = Math.max(most, known[at]!.p * (correction === 'holm' ? count - at : count));
    give(at, most);
  }
  return adjusted;
}
