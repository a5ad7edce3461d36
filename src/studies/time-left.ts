import type { PlannedRun, StudyEvent } from './study.js';

/** Part of a run that is seen before its length is told from it. */
const LEAST_SHARE = 0.05;

/** How much longer a run that trains its encoder takes than a frozen one, until both have been seen. */
const TRAINED_BY_FROZEN = 2.5;

/** A run at work; times in milliseconds. */
interface AtWork {
  readonly run: PlannedRun;
  /** Since its data were there: a download is no computing. */
  startedAt: number;
  first?: { readonly share: number; readonly at: number };
  last?: { readonly share: number; readonly at: number };
  hasTrainedEpoch: boolean;
}

/** A run whose length is known or told from its first epochs, seconds. */
interface Timed {
  readonly run: PlannedRun;
  readonly seconds: number;
}

/** Tells how long a study still takes, from the runs that it has seen. */
export interface TimeLeft {
  readonly onEvent: (event: StudyEvent) => void;
  /** null until a run has finished or trained an epoch. */
  seconds(): number | null;
}

/**
 * Runs of one arm on one dataset take the same time, those of other arms what runs with the same encoder mode take. Runs side by
 * side share what waits. Downloads and the start of the engine do not count as computing.
 * @param now milliseconds of a steady clock
 */
export function createTimeLeft(now: () => number): TimeLeft {
  const running = new Map<string, AtWork>();
  const waiting = new Map<string, PlannedRun>();
  const finished: Timed[] = [];
  /** Runs of searches that are not known yet. */
  let toCome = 0;
  let processes = 1;

  return {
    onEvent(event) {
      switch (event.type) {
        case 'plan':
          for (const run of event.missing ?? []) waiting.set(run.id, run);
          toCome = event.toCome ?? 0;
          break;
        case 'run-started':
          if (!waiting.delete(event.run.id)) toCome = Math.max(0, toCome - 1);
          running.set(event.run.id, { run: event.run, startedAt: now(), hasTrainedEpoch: false });
          processes = Math.max(processes, running.size);
          break;
        case 'step': {
          const work = running.get(event.run);
          if (!work) break;
          if (event.phase === 'prepare') work.startedAt = now();
          if (event.share > 0) {
            work.last = { share: event.share, at: now() };
            work.first ??= work.last;
          }
          work.hasTrainedEpoch ||= event.phase === 'validate' || event.phase === 'evaluate';
          break;
        }
        case 'run-finished': {
          const work = running.get(event.record.id);
          if (work) finished.push({ run: work.run, seconds: (now() - work.startedAt) / 1000 });
          running.delete(event.record.id);
          break;
        }
        case 'run-failed':
          waiting.delete(event.run.id);
          running.delete(event.run.id);
          break;
        default:
      }
    },
    seconds() {
      const told = [...running.values()].flatMap((work) => {
        const seconds = lengthOf(work);
        return seconds === undefined ? [] : [{ run: work.run, seconds }];
      });
      const known = [...finished, ...told];
      if (!known.some(({ run }) => isTrained(run))) return null;
      const left = [...running.values()].map((work) => {
        const length = lengthOf(work) ?? expected(work.run, known);
        return Math.max(0, length - (now() - work.startedAt) / 1000);
      });
      const queued = [...waiting.values()].map((run) => expected(run, known));
      const trained = known.filter(({ run }) => isTrained(run));
      const later = toCome * mean(trained);
      return Math.max(0, ...left, (sum(left) + sum(queued) + later) / processes);
    },
  };
}

/** Length of a run that has trained for an epoch; what came before the first share counts once. */
function lengthOf({ startedAt, first, last, hasTrainedEpoch }: AtWork): number | undefined {
  if (!hasTrainedEpoch || !first || !last || last.share - first.share < LEAST_SHARE) return undefined;
  const rate = (last.at - first.at) / (last.share - first.share);
  return (first.at - startedAt + rate * (1 - first.share)) / 1000;
}

function expected(run: PlannedRun, known: readonly Timed[]): number {
  const sameArm = known.filter(
    (timed) => timed.run.arm === run.arm && timed.run.definition.dataset === run.definition.dataset,
  );
  if (sameArm.length > 0) return mean(sameArm);
  if (!isTrained(run)) return 0; // a trivial predictor only counts pixels
  const trained = known.filter((timed) => isTrained(timed.run));
  const alike = trained.filter((timed) => isFrozen(timed.run) === isFrozen(run));
  if (alike.length > 0) return mean(alike);
  return isFrozen(run) ? mean(trained) / TRAINED_BY_FROZEN : mean(trained) * TRAINED_BY_FROZEN;
}

const isTrained = ({ definition }: PlannedRun): boolean => definition.encoder !== 'none';
const isFrozen = ({ definition }: PlannedRun): boolean => definition.settings.encoderMode === 'frozen';
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (timed: readonly Timed[]): number => sum(timed.map(({ seconds }) => seconds)) / timed.length;
