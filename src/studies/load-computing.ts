import { pathToFileURL } from 'node:url';
import type { Computing } from './worker-protocol.js';

/** What computes runs, with all that this needs. Tests name a stand-in, a module with `startComputing`, in GONDWANA_STUDY_WORKER. */
export async function loadComputing(): Promise<Computing> {
  const { GONDWANA_STUDY_WORKER: standIn } = process.env;
  if (standIn === undefined) return (await import('./computing.js')).startComputing;
  const module = (await import(pathToFileURL(standIn).href)) as {
    readonly startComputing: Computing;
  };
  return module.startComputing;
}
