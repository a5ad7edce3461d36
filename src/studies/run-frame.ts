import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Session } from './session.js';
import type { Phase, PlannedRun, StudyEvent } from './study.js';

/** What every record says of its surroundings. */
export function frame(run: PlannedRun, { options }: Session, watch: Watch) {
  return {
    schema: 'gondwana-run/1' as const,
    id: run.id,
    attempt: `${hostname()}-${process.pid}-${randomUUID()}`,
    study: options.study.name,
    arm: run.arm,
    definition: run.definition,
    ...(options.job && { job: options.job }),
    engine: options.engine,
    versions: options.versions,
    startedAt: watch.startedAt,
    finishedAt: new Date().toISOString(),
  };
}

type Extra = Partial<
  Pick<StudyEvent & { type: 'step' }, 'epoch' | 'epochs' | 'loss' | 'score' | 'metric' | 'note'>
>;

export const reporter =
  (run: PlannedRun, session: Session) =>
  (phase: Phase, share: number, extra: Extra = {}): void =>
    session.options.emit({ type: 'step', run: run.id, phase, share, ...extra });

export interface Watch {
  readonly startedAt: string;
  /** Adds the time since the last lap to a phase. */
  lap(phase: Phase): void;
  laps(): Record<string, number>;
}

export function startWatch(): Watch {
  const seconds: Record<string, number> = {};
  let last = performance.now();
  return {
    startedAt: new Date().toISOString(),
    lap(phase) {
      const now = performance.now();
      seconds[phase] = (seconds[phase] ?? 0) + (now - last) / 1000;
      last = now;
    },
    laps: () => seconds,
  };
}
