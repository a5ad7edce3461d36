import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHandle } from '../display/handle.js';
import { cellSignal } from '../display/kernel-link.js';
import { StoppedError } from '../errors.js';
import { isUnderWay, studyStatus, type StudyStatus } from './study-status.js';
import type { StudyDefinition, StudyStatusOptions } from './study.js';

/** The queue is asked no more often: Slurm's controller has others to answer. */
const INTERVAL_MS = 5000;

/**
 * Tells the status again and again until nothing is on its way any more.
 * @param signal ends the watch; the last status is what it returns
 */
export async function watchStatus(
  folder: string,
  tell: (status: StudyStatus) => void,
  signal: AbortSignal | undefined,
  intervalMs = INTERVAL_MS,
): Promise<StudyStatus> {
  for (;;) {
    const status = await studyStatus(folder);
    tell(status);
    if (!isUnderWay(status) || signal?.aborted) return status;
    await setTimeout(intervalMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
    if (signal?.aborted) return status;
  }
}

/**
 * The status of a study, in a notebook as a table; with `watch`, as one that is renewed in its place.
 * @throws StoppedError once the cell that watches is stopped: the runs go on; what studyStatus throws
 */
export async function showStatus(
  { name }: StudyDefinition,
  { store, quick = false, watch = false }: StudyStatusOptions = {},
): Promise<StudyStatus> {
  const folder = store ?? path.join('results', quick ? `${name}-quick` : name);
  if (!watch) return studyStatus(folder);
  const signal = cellSignal(undefined);
  const handle = createHandle();
  const status = await watchStatus(folder, (now) => void handle.update(now), signal);
  if (signal?.aborted)
    throw new StoppedError('The watch was stopped. What is on its way goes on.', { where: status.store });
  return status;
}
