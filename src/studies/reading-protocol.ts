import type { Entry, OpenOptions } from '../datasets/dataset.js';
import type { Sample } from '../datasets/sample.js';

/** What a thread that reads a dataset is started with. */
export interface ReadingData {
  readonly dataset: string;
  readonly root: string;
  readonly options: Pick<OpenOptions, 'mode' | 'faults'>;
  /** Files of plugins that the thread loads before it opens the dataset. */
  readonly plugins: readonly string[];
}

/** One sample that it is asked for. */
export interface ReadingJob {
  readonly id: number;
  readonly split: string;
  readonly entry: Entry;
}

/** null: the thread cannot give it, for whatever reason. */
export interface ReadingAnswer {
  readonly id: number;
  readonly sample: Sample | null;
}
