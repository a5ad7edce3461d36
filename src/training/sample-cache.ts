import type { Dataset, Entry } from '../datasets/dataset.js';
import type { Sample } from '../datasets/sample.js';
import { buffersOf } from './sample-buffers.js';

/** The samples read last, as far as they fit into a number of bytes; a sample that is asked for twice is read once. */
export class SampleCache {
  readonly #dataset: Dataset;
  readonly #limit: number;
  readonly #read: Dataset['read'];
  readonly #kept = new Map<Entry, { readonly sample: Promise<Sample>; bytes: number }>();
  #bytes = 0;

  /** @param read how a sample is read. Default: as the dataset does */
  constructor(dataset: Dataset, limitBytes: number, read: Dataset['read'] = dataset.read) {
    this.#dataset = dataset;
    this.#limit = limitBytes;
    this.#read = read;
  }

  read(split: string, entry: Entry): Promise<Sample> {
    const known = this.#kept.get(entry);
    if (known) {
      this.#kept.delete(entry); // to the end: asked for last
      this.#kept.set(entry, known);
      return known.sample;
    }
    const kept = { sample: this.#read(split, entry), bytes: 0 };
    this.#kept.set(entry, kept);
    kept.sample.then(
      (sample) => {
        if (this.#kept.get(entry) !== kept) return;
        kept.bytes = bytesOf(sample);
        this.#bytes += kept.bytes;
        this.#trim();
      },
      () => this.#kept.delete(entry), // a file that is mended can be read again
    );
    return kept.sample;
  }

  /** All samples of a split, one after the other. */
  async *samples(split: string): AsyncGenerator<Sample, void, void> {
    for (const entry of await this.#dataset.entries(split)) yield await this.read(split, entry);
  }

  #trim(): void {
    for (const [entry, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#limit) return;
      this.#kept.delete(entry);
      this.#bytes -= bytes;
    }
  }
}

const bytesOf = (sample: Sample): number =>
  buffersOf(sample).reduce((sum, { byteLength }) => sum + byteLength, 0);
