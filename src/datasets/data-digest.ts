import { createHash } from 'node:crypto';
import type { Dataset } from './dataset.js';
import { spreadEntries } from './statistics/walk-samples.js';

/** Samples of a split whose numbers are looked at. */
const SAMPLES = 4;

/**
 * What tells the data of one run from that of another: the ids of all samples of these splits, and every number of a few
 * samples of each, spread evenly. Reading all of a benchmark would take hours.
 * @returns sha256
 */
export async function dataDigest(dataset: Dataset, splits: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const split of splits) {
    const entries = await dataset.entries(split);
    hash.update(JSON.stringify([split, entries.map(({ id }) => id)]));
    for (const entry of spreadEntries(entries, SAMPLES)) {
      const { images, target } = await dataset.read(split, entry);
      update(hash, images);
      update(hash, target);
    }
  }
  return hash.digest('hex');
}

function update(hash: ReturnType<typeof createHash>, value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      hash.update(name);
      update(hash, member);
    }
  } else {
    hash.update(`${String(value)};`);
  }
}
