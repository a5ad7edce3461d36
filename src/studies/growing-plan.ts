import { showAs } from '../display/showable.js';
import {
  replaySearch,
  type OutcomeOf,
  type PlannedSearch,
  type SearchState,
  type TrialOutcome,
} from './replay-search.js';
import { planBundle } from './study-sheets.js';
import type { PlannedRun, SearchProgress, StudyDefinition, StudyOutlook, StudyPlan } from './study.js';

/** Runs that are known from the start, or a search whose runs become known one after another. */
export type PlanPart = readonly PlannedRun[] | PlannedSearch;

/** A plan whose searches go on as their trials end. */
export interface GrowingPlan {
  /** As far as it is known now. */
  readonly plan: StudyPlan;
  /** The same with what a store holds of it. */
  planWith(outlook: StudyOutlook): StudyPlan;
  /** Asks what came of every trial. */
  refresh(outcomeOf: OutcomeOf): void;
  /** Tells how a trial ended. @returns the runs that are known now and were not before */
  after(id: string, outcome: TrialOutcome): readonly PlannedRun[];
  /** Every search as far as it is known now. */
  searches(): readonly SearchState[];
  /** Searches that have come to nothing. */
  hopeless(): readonly SearchState[];
}

export function growingPlan(
  { study, quick }: { readonly study: StudyDefinition; readonly quick: boolean },
  parts: readonly PlanPart[],
): GrowingPlan {
  let stored: OutcomeOf = () => undefined;
  const heard = new Map<string, TrialOutcome>();
  const replay = (part: PlannedSearch): SearchState =>
    replaySearch(part, (id) => heard.get(id) ?? stored(id));
  const searches = parts.filter((part) => isSearch(part));
  let states = new Map(searches.map((part) => [part, replay(part)]));
  const searchWith = (id: string): PlannedSearch | undefined =>
    searches.find((part) => states.get(part)!.runs.some((run) => run.id === id));
  const planNow = (outlook?: StudyOutlook): StudyPlan => {
    const runs = parts.flatMap((part) => (isSearch(part) ? states.get(part)!.runs : part));
    const toCome = [...states.values()].reduce((sum, state) => sum + state.toCome, 0);
    const plan: StudyPlan = {
      ...{ study, quick, runs },
      ...(searches.length > 0 && {
        searches: [...states].map(([part, state]) => progressOf(part, state)),
        toCome,
      }),
      ...(outlook && { outlook }),
    };
    return showAs(plan, { bundle: planBundle });
  };
  return {
    get plan() {
      return planNow();
    },
    planWith: planNow,
    refresh(outcomeOf) {
      stored = outcomeOf;
      states = new Map(searches.map((part) => [part, replay(part)]));
    },
    after(id, outcome) {
      heard.set(id, outcome);
      const part = searchWith(id);
      if (!part) return [];
      const known = new Set(states.get(part)!.runs.map((run) => run.id));
      const state = replay(part);
      states.set(part, state);
      return state.runs.filter((run) => !known.has(run.id));
    },
    searches: () => [...states.values()],
    hopeless: () => [...states.values()].filter(({ isHopeless }) => isHopeless),
  };
}

const isSearch = (part: PlanPart): part is PlannedSearch => !Array.isArray(part);

function progressOf(
  { spec, arm, dataset, repeatCount }: PlannedSearch,
  { trials, best }: SearchState,
): SearchProgress {
  const count = (state: string): number => trials.filter((trial) => trial.state === state).length;
  return {
    ...{ search: spec.id, dataset, arm, trials: spec.trialCount, repeats: repeatCount },
    ...{ complete: count('complete'), pruned: count('pruned'), failed: count('failed') },
    best: best ? { parameters: best.parameters, value: best.value! } : null,
  };
}
