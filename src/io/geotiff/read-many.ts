import type { DecodeJob } from './decode-protocol.js';
import { decodePool, defaultThreads } from './decode-pool.js';
import type { GeoRaster, ReadGeoTiffOptions } from './geo-raster.js';
import type { RasterPlace } from './raster-source.js';

export interface ReadManyOptions extends ReadGeoTiffOptions {
  /** Rasters decoded at once. Default: one a processor, at most 8. */
  readonly threads?: number;
  /** Bytes of pixels that lie ready or are being decoded; one raster may exceed it. Default: 256 MiB. */
  readonly maxBytes?: number;
  /**
   * A raster's pixels are gone after the next one is asked for: their memory is used again, and nothing grows, however
   * many files are read. Default: false.
   */
  readonly recycle?: boolean;
}

const MAX_BYTES = 256 * 2 ** 20;

let lastId = 0;

/**
 * Reads one raster in another thread: the event loop stays free, and calls side by side use all processors.
 * @throws what readGeoTiff throws; the signal's reason
 */
export async function readGeoTiffInThread(
  place: RasterPlace,
  { signal, ...options }: ReadGeoTiffOptions = {},
): Promise<GeoRaster> {
  const stop = new SharedArrayBuffer(4);
  signal?.throwIfAborted();
  const abort = (): void => void Atomics.store(new Int32Array(stop), 0, 1);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await decodePool.run(makeJob(place, options, stop, null));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

const makeJob = (
  place: RasterPlace,
  options: DecodeJob['options'],
  stop: SharedArrayBuffer,
  spare: ArrayBuffer | null,
): DecodeJob => ({ id: ++lastId, place, options, stop, spare });

/** A result, or why there is none: a promise of one is never rejected while nobody waits for it. */
type Outcome = { readonly raster: GeoRaster } | { readonly error: unknown };

/**
 * Reads many rasters in threads and yields them in the order of `places`. Memory is bounded by `maxBytes`: no raster is
 * begun before there is room. Leaving the loop, an error or the signal stops what is under way.
 * @throws what readGeoTiff throws for the first raster, in order, that cannot be read; the signal's reason
 */
export async function* readGeoTiffs(
  places: Iterable<RasterPlace> | AsyncIterable<RasterPlace>,
  options: ReadManyOptions = {},
): AsyncGenerator<GeoRaster, void, void> {
  const { threads = defaultThreads(), maxBytes = MAX_BYTES, recycle = false, signal, ...read } = options;
  const iterator =
    Symbol.asyncIterator in places ? places[Symbol.asyncIterator]() : places[Symbol.iterator]();
  const stop = new SharedArrayBuffer(4);
  const line: Promise<Outcome>[] = [];
  const spares: ArrayBuffer[] = [];
  let largest = 0; // bytes of the largest raster so far: what the next ones are taken to need
  let isAtEnd = false;
  const start = (place: RasterPlace): Promise<Outcome> =>
    decodePool.run(makeJob(place, read, stop, spares.pop() ?? null)).then(
      (raster) => {
        largest = Math.max(largest, raster.data.byteLength + (raster.valid?.byteLength ?? 0));
        return { raster };
      },
      (error: unknown) => ({ error }),
    );
  try {
    for (;;) {
      signal?.throwIfAborted();
      // as many again as are decoded lie ready, so that no thread waits for the caller
      const hasRoom = (): boolean =>
        line.length === 0 ||
        (line.length < (largest === 0 ? threads : 2 * threads) && (line.length + 1) * largest <= maxBytes);
      while (!isAtEnd && hasRoom()) {
        const next = await iterator.next();
        if (next.done) isAtEnd = true;
        else line.push(start(next.value));
      }
      if (line.length === 0) return;
      const outcome = await untilAborted(line.shift()!, signal);
      if ('error' in outcome) throw outcome.error;
      yield outcome.raster;
      const { buffer } = outcome.raster.data;
      if (recycle && buffer instanceof ArrayBuffer) spares.push(buffer);
    }
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await iterator.return?.();
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void promise.then((value) => {
      signal.removeEventListener('abort', abort);
      resolve(value);
    }, reject);
  });
}
