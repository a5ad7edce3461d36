import { StoppedError } from '../errors.js';

/** What a study ends with when the user asks it to stop. */
export const studyStopped = (): StoppedError =>
  new StoppedError('The study was stopped. Finished runs are kept.');
