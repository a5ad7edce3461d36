import type { ErrorData } from '../../errors.js';
import type { GeoRaster, ReadGeoTiffOptions } from './geo-raster.js';
import type { RasterPlace } from './raster-source.js';

/** What a decoding thread is asked for. */
export interface DecodeJob {
  readonly id: number;
  readonly place: RasterPlace;
  readonly options: Omit<ReadGeoTiffOptions, 'signal'>;
  /** Moved to the thread; the pixels go here where their bytes are as many. */
  readonly spare: ArrayBuffer | null;
  /** One Int32: not 0 stops the job before its next block. */
  readonly stop: SharedArrayBuffer;
}

/** What it answers. */
export type DecodeAnswer =
  { readonly id: number; readonly raster: GeoRaster } | { readonly id: number; readonly error: ErrorData };
