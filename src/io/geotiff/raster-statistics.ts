import { RunningStatistics, type Statistics } from '../statistics.js';
import type { GeoTiffFile } from './geotiff-file.js';
import { readBytes } from './samples.js';

/** Statistics of one band. */
export interface BandStatistics {
  /** Of every stored value. */
  readonly raw: Statistics;
  /** Of those that nodata, mask page and alpha do not hide. */
  readonly valid: Statistics;
}

/** Bytes of pixels that are held at once, unless a block is larger. */
const HELD_BYTES = 32 * 2 ** 20;

export interface StatisticsOptions {
  /** 0 is the full size (default). */
  readonly overview?: number;
  /** Value of hidden pixels in place of the file's; null: none. */
  readonly nodata?: number | null;
  readonly signal?: AbortSignal;
}

/**
 * Statistics of all bands; the image is read in stretches of whole blocks.
 * @throws what GeoTiffFile.read throws
 */
export async function rasterStatistics(
  file: GeoTiffFile,
  options: StatisticsOptions = {},
): Promise<readonly BandStatistics[]> {
  const { type, bandCount, overviews, blockSize } = file.info;
  const { overview = 0 } = options;
  const [height, width] = overview > 0 ? overviews[overview - 1]! : [file.info.height, file.info.width];
  const isWhole = !type.startsWith('float');
  const bands = Array.from({ length: bandCount }, () => ({
    raw: new RunningStatistics(isWhole),
    valid: new RunningStatistics(isWhole),
  }));
  const rowBytes = width * bandCount * readBytes(type);
  const blockRows = file.info.compression === 'none' ? 1 : Math.min(blockSize[0], height);
  const rows = Math.max(1, Math.floor(HELD_BYTES / (rowBytes * blockRows))) * blockRows;
  for (let row = 0; row < height; row += rows) {
    const window = { row, column: 0, height: Math.min(rows, height - row), width };
    const { data, valid } = await file.read({ ...options, window, mask: 'declared' });
    bands.forEach((band, place) => {
      band.raw.add(data, null, place, bandCount);
      band.valid.add(data, valid, place, bandCount);
    });
  }
  return bands.map(({ raw, valid }) => ({ raw: raw.result(), valid: valid.result() }));
}
