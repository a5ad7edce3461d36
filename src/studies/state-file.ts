import path from 'node:path';

/** Where the state of a run is kept while it trains. @param store folder of the study */
export const stateFileOf = (store: string, run: string): string =>
  path.join(store, 'progress', `${run}.safetensors`);
