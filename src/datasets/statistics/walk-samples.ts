import { setImmediate as nextTurn } from 'node:timers/promises';
import { cellSignal } from '../../display/kernel-link.js';
import { errorData, GondwanaError, StoppedError, UsageError, type ErrorData } from '../../errors.js';
import type { Dataset, Entry } from '../dataset.js';
import { evenPlaces } from '../even-places.js';
import type { Sample } from '../sample.js';

/** Which samples of a split are read. */
export interface SampleRange {
  /** Samples of a split at most, spread evenly over its list; `all` reads every one. */
  readonly limit?: number | 'all';
  /** Default: that of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** Share that is done, 0 … 1, and what is being done. */
  readonly onProgress?: (share: number, what: string) => void;
}

/** A sample that cannot be read, and why. */
export interface DamagedSample extends ErrorData {
  readonly split: string;
  readonly sample: string;
}

export type Walked =
  | { readonly entry: Entry; readonly sample: Sample; readonly damaged?: never }
  | { readonly entry: Entry; readonly damaged: DamagedSample; readonly sample?: never };

/** The first, the last, and those between at equal distances; all where the limit allows it. @throws UsageError OPTION_VALUE */
export function spreadEntries<E>(entries: readonly E[], limit: number | 'all'): readonly E[] {
  if (limit !== 'all' && !(Number.isInteger(limit) && limit >= 1)) {
    throw new UsageError('OPTION_VALUE', `The limit is ${String(limit)}.`, {
      hint: 'It is a number of samples from 1 on, or "all".',
    });
  }
  if (limit === 'all' || entries.length <= limit) return entries;
  return evenPlaces(entries.length, limit).map((place) => entries[place]!);
}

/**
 * Reads samples one after the other and holds one at a time. One that cannot be read is told, and the next one follows.
 * @throws StoppedError when the signal is aborted; what is no fault of the data: a wrong use, a fault of the code
 */
export async function* walkSamples(
  dataset: Dataset,
  split: string,
  entries: readonly Entry[],
  { signal: given, onProgress }: SampleRange,
): AsyncGenerator<Walked, void, void> {
  const signal = cellSignal(given);
  for (const [place, entry] of entries.entries()) {
    onProgress?.(place / entries.length, `${split}: ${entry.id}`);
    await nextTurn(); // Ctrl-C and drawings get their turn: reading may never wait
    if (signal?.aborted) throw new StoppedError('Reading was stopped.', { where: dataset.root });
    try {
      yield { entry, sample: await dataset.read(split, entry) };
    } catch (error) {
      if (signal?.aborted)
        throw new StoppedError('Reading was stopped.', { where: dataset.root, cause: error });
      if (!(error instanceof GondwanaError) || error instanceof UsageError) throw error;
      yield { entry, damaged: { split, sample: entry.id, ...errorData(error) } };
    }
  }
}
