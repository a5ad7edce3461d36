import type { PlannedRun } from './study.js';

/**
 * Order in which runs begin. Trivial predictors first: they take no time, and a study that is stopped has its baseline. Then
 * the long runs, whose encoder is trained, and the short ones last, so that no process is left alone with a long one.
 */
export function turnOf({ definition: { encoder, settings } }: PlannedRun): number {
  if (encoder === 'none') return 0;
  return settings.encoderMode === 'frozen' ? 2 : 1;
}
