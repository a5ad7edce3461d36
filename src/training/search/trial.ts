import type { TrialParameters } from './search-space.js';

/** One trial as a plain record: to be stored, and to go on from. */
export interface Trial {
  /** 0 for the first. */
  readonly number: number;
  /** `pruned`: ended early because others are better. `failed`: an error that the search goes on after. */
  readonly state: 'complete' | 'pruned' | 'failed';
  readonly parameters: TrialParameters;
  /** Of a complete trial that has one, else null. */
  readonly value: number | null;
  /** What it reported on the way, steps ascending. */
  readonly reports: readonly TrialReport[];
  /** Of a failed trial. */
  readonly error?: string;
}

export interface TrialReport {
  readonly step: number;
  readonly value: number;
}

export type SearchDirection = 'minimize' | 'maximize';

/** Smaller is better. */
export const cost = (value: number, direction: SearchDirection): number =>
  Number.isNaN(value) ? Infinity : direction === 'minimize' ? value : -value;

/** The complete trial with the best value, the first of equal ones; undefined where none is complete. */
export function bestTrial(trials: readonly Trial[], direction: SearchDirection): Trial | undefined {
  let best: Trial | undefined;
  for (const trial of trials) {
    if (trial.value === null) continue;
    if (!best || cost(trial.value, direction) < cost(best.value!, direction)) best = trial;
  }
  return best;
}
