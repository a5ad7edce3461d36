import type { RunRecord } from './run-record.js';

/** Seconds of all phases together. */
export const totalSeconds = (record: RunRecord): number =>
  Object.values(record.cost.seconds).reduce((sum, seconds) => sum + seconds, 0);
