import { errorData } from '../errors.js';
import { openStore } from '../results/store.js';
import { loadComputing } from './load-computing.js';
import type { FromStudyWorker, ToStudyWorker } from './worker-protocol.js';

/**
 * The process in which runs are computed. It takes one run at a time from the process that started it, publishes
 * each record as soon as its run has finished, goes on after a run that failed, and ends when it is told to or
 * when the other process is gone.
 */
async function work(): Promise<void> {
  const abort = new AbortController();
  const inbox = openInbox(() => abort.abort());
  const first = await inbox.next();
  if (first.type !== 'start') return;
  const { data } = first;

  const startComputing = await loadComputing();
  const compute = await startComputing(data, {
    store: data.store === null ? undefined : openStore(data.store),
    signal: abort.signal,
    emit: (event) => send({ type: 'event', event }),
  });
  for (;;) {
    send({ type: 'idle' });
    const message = await inbox.next();
    if (message.type !== 'run') return;
    if (!(await compute(message))) return; // the engine is gone; the next run gets another process
  }
}

/** Messages in their order; `stop` and the loss of the other process jump the queue. */
function openInbox(onStop: () => void): { next: () => Promise<ToStudyWorker> } {
  const waiting: ToStudyWorker[] = [];
  let deliver: ((message: ToStudyWorker) => void) | undefined;
  const put = (message: ToStudyWorker): void => {
    if (deliver) deliver(message);
    else waiting.push(message);
    deliver = undefined;
  };
  const stop = (): void => {
    onStop();
    put({ type: 'end' });
  };
  process.on('message', (message: ToStudyWorker) => (message.type === 'stop' ? stop() : put(message)));
  process.on('disconnect', stop);
  // a cluster asks every process of a task to end
  process.on('SIGTERM', stop);
  // Ctrl-C in a terminal reaches every process of the group: the one that started this one decides
  process.on('SIGINT', () => undefined);
  const next = (): Promise<ToStudyWorker> => {
    const message = waiting.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve) => (deliver = resolve));
  };
  return { next };
}

const send = (message: FromStudyWorker): void => {
  if (process.connected) process.send!(message);
};

work()
  .catch((error: unknown) => send({ type: 'fatal', error: errorData(error) }))
  .finally(() => process.connected && process.disconnect());
