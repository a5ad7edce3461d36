import type { RasterData } from './raster.js';

interface Size {
  readonly height: number;
  readonly width: number;
}

/** Size at which an image is shown: no side longer than that, at least a pixel. */
export function shownSize({ height, width }: Size, maximumSide: number): Size {
  const scale = Math.min(1, maximumSide / Math.max(height, width));
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return { height: side(height), width: side(width) };
}

/** Pixels of several bands, [height, width, band], that may begin behind others. */
export interface BandSource extends Size {
  readonly data: RasterData;
  readonly bandCount: number;
  /** Place of the first number of the first pixel; default 0. */
  readonly start?: number;
}

/**
 * Mean of the pixels that are not hidden, for each shown pixel; NaN where all are.
 * @param isHidden of a value and its place in `data`
 */
export function averagedBand(
  { data, height, width, bandCount, start = 0 }: BandSource,
  band: number,
  size: Size,
  isHidden: (value: number, at: number) => boolean,
): Float64Array {
  const out = new Float64Array(size.height * size.width);
  for (let y = 0; y < size.height; y++) {
    const [top, bottom] = span(y, size.height, height);
    for (let x = 0; x < size.width; x++) {
      const [left, right] = span(x, size.width, width);
      let [sum, count] = [0, 0];
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) {
          const at = start + (row * width + column) * bandCount + band;
          const value = data[at]!;
          if (isHidden(value, at)) continue;
          sum += value;
          count++;
        }
      }
      out[y * size.width + x] = sum / count;
    }
  }
  return out;
}

/** Source pixels [from, to) of one shown pixel; at most 4 of them are looked at, evenly near its middle. */
function span(index: number, shown: number, length: number): [from: number, to: number] {
  const from = Math.floor((index * length) / shown);
  const to = Math.max(from + 1, Math.floor(((index + 1) * length) / shown));
  const spare = Math.max(0, to - from - 4);
  return [from + (spare >> 1), to - spare + (spare >> 1)];
}
