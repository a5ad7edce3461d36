import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where the state of a run is kept while it trains. @param store folder of the study */
export const stateFileOf = (store: string, run: string): string =>
  path.join(store, 'progress', `${run}.safetensors`);

/** The state before: a disk that loses what was written last costs five minutes more. */
export const fileBefore = (file: string): string => `${file}.before`;

/** Whether there is a state to go on from. */
export const isStateKept = (file: string): boolean => existsSync(file) || existsSync(fileBefore(file));
