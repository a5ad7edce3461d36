import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where the state of a run is kept while it trains. @param store folder of the study */
export const stateFileOf = (store: string, run: string): string =>
  path.join(store, 'progress', `${run}.safetensors`);

/** Whether a run has a state to go on from: its last one, or the one before. */
export const hasState = (store: string, run: string): boolean =>
  ['', '.before'].some((end) => existsSync(stateFileOf(store, run) + end));
