import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { publishExclusive } from '../io/atomic-file.js';
import { requireFileSync } from '../io/regular-file.js';
import { namesIn } from '../results/store-files.js';
import type { RunJob } from '../results/run-record.js';

/**
 * One file for each time that a task begins a run, `attempts/ID.JOB_K.R`, with where that was. When the run ends in order
 * but without a record, its name gains how: `.stopped`, `.failed`. One that gains nothing was killed without a word, or is
 * at work; kills of before a user said to try again are named `.killed`, and do not count any more.
 */
export interface Attempt {
  readonly run: string;
  /** `JOB_K.R`: job, task and restart. */
  readonly of: string;
  readonly end: 'none' | 'stopped' | 'failed' | 'killed';
}

const NAME = /^([0-9a-f]{8,64})\.([\w-]+\.\d+)(?:\.(stopped|failed|killed))?$/;

const folderOf = (store: string): string => path.join(store, 'attempts');

const nameOf = (run: string, { job, restart }: RunJob): string => `${run}.${job}.${restart}`;

export async function beginAttempt(store: string, run: string, job: RunJob): Promise<void> {
  const note = { ...job, beganAt: new Date().toISOString() };
  await publishExclusive(path.join(folderOf(store), nameOf(run, job)), `${JSON.stringify(note)}\n`);
}

export async function endAttempt(
  store: string,
  run: string,
  job: RunJob,
  end: 'stopped' | 'failed',
): Promise<void> {
  const file = path.join(folderOf(store), nameOf(run, job));
  await rename(file, `${file}.${end}`).catch(() => undefined); // where it stays, the run counts as killed
}

/** These kills count no more: their runs are tried again by the user's word. */
export async function forgetKills(store: string, kills: readonly Attempt[]): Promise<void> {
  for (const { run, of } of kills) {
    const file = path.join(folderOf(store), `${run}.${of}`);
    await rename(file, `${file}.killed`).catch(() => undefined); // another client was faster
  }
}

/** All attempts by run. */
export function attemptsOf(store: string): ReadonlyMap<string, readonly Attempt[]> {
  const attempts = new Map<string, Attempt[]>();
  for (const name of namesIn(folderOf(store))) {
    const [, run, of, end = 'none'] = NAME.exec(name) ?? [];
    if (run === undefined || of === undefined) continue;
    const attempt = { run, of, end: end as Attempt['end'] };
    const known = attempts.get(run);
    if (known) known.push(attempt);
    else attempts.set(run, [attempt]);
  }
  return attempts;
}

/** What a task wrote down when it began a run. */
export interface AttemptNote extends Pick<RunJob, 'submission' | 'log'> {
  readonly beganAt: string;
}

/** undefined where it cannot be read or names a log in another place. */
export function noteOf(store: string, { run, of, end }: Attempt): AttemptNote | undefined {
  try {
    const file = path.join(folderOf(store), `${run}.${of}${end === 'none' ? '' : `.${end}`}`);
    requireFileSync(file);
    const { log, submission, beganAt } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof log !== 'string' || !/^logs\/[\w.-]+$/.test(log)) return undefined;
    return { log, submission: String(submission), beganAt: String(beganAt) };
  } catch {
    return undefined;
  }
}

/** The one that began last: jobs of Slurm and restarts are counted; where other queues were at it too, the notes tell. */
export function lastAttempt(store: string, tries: readonly Attempt[]): Attempt | undefined {
  const numbered = tries.map((attempt) => {
    const [, job, restart] = /^(\d+)_\d+\.(\d+)$/.exec(attempt.of) ?? [];
    return { attempt, job: Number(job), restart: Number(restart) };
  });
  if (numbered.every(({ job }) => Number.isInteger(job)))
    return numbered.sort((a, b) => a.job - b.job || a.restart - b.restart).at(-1)?.attempt;
  const began = (attempt: Attempt): string => noteOf(store, attempt)?.beganAt ?? '';
  return tries.toSorted((a, b) => (began(a) < began(b) ? -1 : 1)).at(-1);
}
