import { parentPort } from 'node:worker_threads';
import { errorData, StoppedError } from '../../errors.js';
import type { DecodeAnswer, DecodeJob } from './decode-protocol.js';
import { GeoTiffFile } from './geotiff-file.js';

/** A thread that decodes rasters, one after the other; their memory moves to the main thread without a copy. */
const port = parentPort!;
port.on('message', (job: DecodeJob) => void answer(job));

async function answer(job: DecodeJob): Promise<void> {
  try {
    const raster = await decode(job);
    const parts = [raster.data.buffer, raster.valid?.buffer];
    const moved = parts.filter((buffer) => buffer instanceof ArrayBuffer);
    port.postMessage({ id: job.id, raster } satisfies DecodeAnswer, moved);
  } catch (error) {
    port.postMessage({ id: job.id, error: errorData(error) } satisfies DecodeAnswer);
  }
}

async function decode({ place, options, spare, stop }: DecodeJob): ReturnType<GeoTiffFile['read']> {
  const flag = new Int32Array(stop);
  const onBlock = (): void => {
    if (Atomics.load(flag, 0) !== 0) throw new StoppedError('The reading was stopped.');
  };
  onBlock();
  const file = GeoTiffFile.open(place);
  try {
    const allocate = (bytes: number): ArrayBuffer =>
      spare?.byteLength === bytes ? spare : new ArrayBuffer(bytes);
    return await file.read(options, { allocate, onBlock, yields: false });
  } finally {
    file.close();
  }
}
