import { Worker } from 'node:worker_threads';
import { compiledFile } from '../compiled.js';
import { showSample, type Dataset, type Entry } from '../datasets/dataset.js';
import type { Sample } from '../datasets/sample.js';
import type { ReadingAnswer, ReadingData, ReadingJob } from './reading-protocol.js';

/** Samples that are read before a thread is started: a small dataset is in memory by then. */
const READ_HERE = 16;
/** A thread without work ends after so long, in ms: it holds tens of MB. */
const IDLE_MS = 10_000;

/**
 * Reads samples on a thread of their own, so that files are decoded while a training step holds this one. The first few are
 * read here, and so is everything that the thread does not give: what it fails at, which fails here again with its error, and
 * what cannot leave it, such as a dataset that only this process knows. The samples are the same.
 * @param signal ends the thread
 */
export function readAside(dataset: Dataset, data: ReadingData, signal: AbortSignal): Dataset['read'] {
  let count = 0;
  let isDeclined = false;
  let thread: ReadingThread | undefined;
  return async (split, entry) => {
    const isHere = typeof entry === 'string' || isDeclined || signal.aborted || count++ < READ_HERE;
    if (isHere) return dataset.read(split, entry);
    if (!thread || thread.isEnded) thread = new ReadingThread(data, signal);
    const sample = await thread.read(split, entry);
    if (sample) return showSample(sample);
    isDeclined = true;
    thread.end();
    return dataset.read(split, entry);
  };
}

class ReadingThread {
  readonly #worker: Worker;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<number, (sample: Sample | null) => void>();
  #count = 0;
  #idle: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(reading: ReadingData, signal: AbortSignal) {
    this.#worker = new Worker(compiledFile('studies/reading-worker.js'), {
      workerData: { reading },
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: ReadingAnswer) => this.#hear(answer));
    this.#worker.on('error', this.end); // e.g. out of memory
    this.#worker.on('exit', this.end);
    this.#signal = signal;
    signal.addEventListener('abort', this.end);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** null: the thread does not give it. */
  read(split: string, entry: Entry): Promise<Sample | null> {
    clearTimeout(this.#idle);
    const id = this.#count++;
    return new Promise((resolve) => {
      try {
        this.#worker.postMessage({ id, split, entry } satisfies ReadingJob);
      } catch {
        resolve(null); // an entry with functions in it
        return;
      }
      this.#waiting.set(id, resolve);
      this.#worker.ref();
    });
  }

  /** What still waits is not given. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.#signal.removeEventListener('abort', this.end); // threads of one signal follow one another
    clearTimeout(this.#idle);
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
    void this.#worker.terminate();
  };

  #hear({ id, sample }: ReadingAnswer): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      this.#worker.unref();
      this.#idle = setTimeout(this.end, IDLE_MS).unref();
    }
    resolve?.(sample);
  }
}
