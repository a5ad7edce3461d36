import { parentPort, workerData } from 'node:worker_threads';
import { openDataset, type Dataset } from '../datasets/dataset.js';
import { buffersOf } from '../training/sample-buffers.js';
import { loadPlugin } from './load-plugin.js';
import type { ReadingAnswer, ReadingData, ReadingJob } from './reading-protocol.js';

/** The thread behind `readAside`: reads samples in the order in which they are asked for. */
const port = parentPort!;
const { reading } = workerData as { readonly reading: ReadingData };

async function open({ dataset, root, options, plugins }: ReadingData): Promise<Dataset> {
  for (const file of plugins) await loadPlugin(file);
  return openDataset(dataset, root, options);
}

const opened = open(reading);
let last: Promise<void> = opened.then(
  () => undefined,
  () => undefined, // every sample says so
);
port.on('message', (job: ReadingJob) => {
  last = last.then(() => answer(job));
});

/** A copy is sent, whose memory moves: the dataset may hold on to its own. */
async function answer({ id, split, entry }: ReadingJob): Promise<void> {
  try {
    const sample = structuredClone(await (await opened).read(split, entry));
    port.postMessage({ id, sample } satisfies ReadingAnswer, buffersOf(sample));
  } catch {
    port.postMessage({ id, sample: null } satisfies ReadingAnswer);
  }
}
