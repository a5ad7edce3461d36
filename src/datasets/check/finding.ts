/** `error`: it must be mended; `warning`: look at it; `note`: good to know. */
export type Severity = 'error' | 'warning' | 'note';

/** One thing that a check found. */
export interface CheckFinding {
  readonly severity: Severity;
  /** Stable, e.g. `BAND_ORDER`; damaged files have the code of their error. Listed in docs/guide/errors.md. */
  readonly code: string;
  readonly message: string;
  /** Split, modality, band, sample or file. */
  readonly where: string;
  /** What to do. */
  readonly hint: string;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/** Errors first; each kind in the order in which it was found. */
export const bySeverity = (findings: readonly CheckFinding[]): CheckFinding[] =>
  [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity]);

/** Names that a message lists. */
const SHOWN = 4;

/** `1 sample`, `3 samples`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `a, b, c, d and 7 more`. */
export const some = (names: readonly string[]): string =>
  names.length <= SHOWN + 1
    ? names.join(', ')
    : `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
