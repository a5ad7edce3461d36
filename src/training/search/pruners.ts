import { checkCount, searchOption } from './check-space.js';
import { cost, type SearchDirection, type TrialReport, type Trial } from './trial.js';

/** Whether a trial that has reported so far is to end. Pure. */
export type Pruner = (
  current: { readonly number: number; readonly reports: readonly TrialReport[] },
  told: { readonly trials: readonly Trial[]; readonly direction: SearchDirection },
) => boolean;

export interface MedianPrunerOptions {
  /** Complete trials before any is pruned; default 5. */
  readonly startupTrials?: number;
  /** Steps that every trial may make; default 0. */
  readonly warmUpSteps?: number;
}

/**
 * Ends a trial whose best report is worse than the median of the complete trials at the same step.
 * @throws UsageError SEARCH_OPTION
 */
export function medianPruner({ startupTrials = 5, warmUpSteps = 0 }: MedianPrunerOptions = {}): Pruner {
  checkCount('startupTrials', startupTrials, 0);
  checkCount('warmUpSteps', warmUpSteps, 0);
  return ({ reports }, { trials, direction }) => {
    const complete = trials.filter(({ state }) => state === 'complete');
    const { step } = reports.at(-1)!;
    if (complete.length < startupTrials || step < warmUpSteps) return false;
    const there = complete.flatMap((trial) => {
      const report = trial.reports.find((one) => one.step === step);
      return report ? [cost(report.value, direction)] : [];
    });
    if (there.length === 0) return false;
    return Math.min(...reports.map(({ value }) => cost(value, direction))) > median(there);
  };
}

export interface HyperbandOptions {
  /** Steps before the first comparison; default 1. */
  readonly minimumSteps?: number;
  /** Of a whole trial. */
  readonly maximumSteps: number;
  /** One of so many goes on at each comparison; default 3. */
  readonly reduction?: number;
}

/**
 * Hyperband (Li et al. 2018) over asynchronous successive halving (Li et al. 2020): trials take turns in brackets, whose
 * first comparison is the later the higher the bracket; at each one, those go on that are among the best so far.
 * @throws UsageError SEARCH_OPTION
 */
export const hyperbandPruner = ({
  minimumSteps = 1,
  maximumSteps,
  reduction = 3,
}: HyperbandOptions): Pruner => {
  checkCount('minimumSteps', minimumSteps, 1);
  checkCount('maximumSteps', maximumSteps, minimumSteps);
  if (!(reduction > 1 && reduction < Infinity))
    throw searchOption('reduction', reduction, 'a number above 1');
  const bracketCount = Math.floor(Math.log(maximumSteps / minimumSteps) / Math.log(reduction) + 1e-9) + 1;
  const bracketOf = (number: number): number => number % bracketCount;
  return ({ number, reports }, { trials, direction }) => {
    const bracket = bracketOf(number);
    const { step } = reports.at(-1)!;
    for (let rung = bracket; ; rung++) {
      const due = minimumSteps * reduction ** rung;
      if (due > step || due >= maximumSteps) return false;
      // a comparison is made once, at the report that reaches it
      const before = reports.at(-2);
      if (before && before.step >= due) continue;
      const peers = trials.filter((trial) => bracketOf(trial.number) === bracket && trial.state !== 'failed');
      const reached = peers.flatMap((trial) => costAt(trial.reports, due, direction) ?? []);
      const own = costAt(reports, due, direction)!;
      const ranked = [...reached, own].sort((a, b) => a - b);
      const places = Math.max(1, Math.floor(ranked.length / reduction));
      if (own > ranked[places - 1]!) return true;
    }
  };
};

/** Of the first report at a step or behind it. */
function costAt(
  reports: readonly TrialReport[],
  step: number,
  direction: SearchDirection,
): number | undefined {
  const report = reports.find((one) => one.step >= step);
  return report && cost(report.value, direction);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
