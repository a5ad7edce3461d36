import { parentPort, workerData } from 'node:worker_threads';
import { errorData } from '../../errors.js';
import type { ToWire } from '../protocol.js';
import { startWire, type LeaveMessage, type WireWorkerData } from './wire.js';

/** Entry of the wire thread. */
function main(): void {
  const port = parentPort;
  if (!port) throw new Error('wire-worker.js is started as a worker thread, by wire-client.js');
  const early: (ToWire | LeaveMessage)[] = [];
  let receive = (message: ToWire | LeaveMessage): void => void early.push(message);
  port.on('message', (message: ToWire | LeaveMessage) => receive(message));
  startWire(workerData as WireWorkerData, (message) => port.postMessage(message)).then(
    (handle) => {
      receive = handle;
      early.splice(0).forEach(handle);
    },
    (error: unknown) => port.postMessage({ type: 'failed', error: errorData(error) }),
  );
}

main();
