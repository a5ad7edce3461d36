import type { RasterArray } from '../raster.js';
import type { Window } from '../window.js';
import type { Transform } from './georeference.js';
import type { SampleType } from './layout.js';

export interface ReadGeoTiffOptions {
  /** Default: all of the image. */
  readonly window?: Window;
  /** Places of the wanted bands, from 0, or their names, in the order wanted. Default: all. */
  readonly bands?: readonly (number | string)[];
  /** 0 is the full size (default), 1 the first smaller copy, and so on. */
  readonly overview?: number;
  /** Full-size page of a file with several. Default: 0, the first. */
  readonly page?: number;
  /** Value of hidden pixels in place of the file's; null: none. */
  readonly nodata?: number | null;
  /** Adds `valid`; 'declared': NaN counts there unless the file hides it. Default: false. */
  readonly mask?: boolean | 'declared';
  /** Stored numbers become value = stored · scale + offset as doubles, hidden ones NaN. Default: false. */
  readonly scaled?: boolean;
  /** A window may reach past the image: what lies outside has the value `nodata` or 0, and is not valid. Default: false. */
  readonly boundless?: boolean;
  /** Stops between blocks. */
  readonly signal?: AbortSignal;
}

/** An image with its place on the Earth, where the file has one. */
export interface GeoRaster extends RasterArray {
  /** As stored; 64-bit integers come as doubles, each exact. */
  readonly type: SampleType;
  /** [x step, row shear, x of the corner, column shear, y step, y of the corner] of what was read; null: none. */
  readonly transform: Transform | null;
  /** EPSG code of the coordinate system; null where the file has none or one without a code. */
  readonly epsg: number | null;
  /** Value of hidden pixels: the caller's, else the file's; null: none, or one the type cannot hold. */
  readonly nodata: number | null;
  /** Who gave `nodata`. */
  readonly nodataFrom: 'caller' | 'file' | null;
  /** Names of the bands that were read, as the file gives them. */
  readonly bandNames: readonly (string | null)[];
  /**
   * [height, width, band], 1: the pixel counts; 0: hidden by nodata, mask page or alpha, NaN, or outside of the image.
   * null where all count, or where `mask` was not asked for.
   */
  readonly valid: Uint8Array | null;
}
