import type { PixelArray, RasterArray } from '../raster.js';
import type { SampleType } from './layout.js';
import { hiddenBy } from './nodata.js';

/** What hides pixels beside their own value. */
export interface Hiding {
  /** 0 hides: [height, width] for all bands, or [height, width, band] for as many bands as are read. */
  readonly maskPage: RasterArray | null;
  /** 0 hides: [height, width]. */
  readonly alpha: PixelArray | null;
  /** Places of the alpha band among the bands that are read: it does not hide itself. */
  readonly alphaPlaces: readonly number[];
  /** Whether NaN counts where nothing hides it. */
  readonly keepsNaN: boolean;
}

/**
 * Which samples count, [height, width, band]: not NaN, not `nodata`, not hidden by mask page or alpha.
 * @returns null where all do
 */
export function findValid(
  { data, bandCount }: RasterArray,
  type: SampleType,
  nodata: number | null,
  { maskPage, alpha, alphaPlaces, keepsNaN }: Hiding,
): Uint8Array | null {
  const valid = new Uint8Array(data.length).fill(1);
  let hiddenCount = 0;
  if (nodata !== null) {
    const isHidden = hiddenBy(nodata, type);
    for (let i = 0; i < data.length; i++) if (isHidden(data[i]!)) hiddenCount += hide(valid, i);
  }
  if (!keepsNaN && (data instanceof Float32Array || data instanceof Float64Array)) {
    for (let i = 0; i < data.length; i++) if (Number.isNaN(data[i]!)) hiddenCount += hide(valid, i);
  }
  const isPerBand = maskPage !== null && maskPage.bandCount === bandCount;
  const perPixel = maskPage?.bandCount ?? 1;
  for (let i = 0, pixel = 0; (maskPage ?? alpha) && i < data.length; pixel++) {
    const isTransparent = alpha?.[pixel] === 0;
    for (let band = 0; band < bandCount; band++, i++) {
      const isMasked = maskPage?.data[pixel * perPixel + (isPerBand ? band : 0)] === 0;
      if (isMasked || (isTransparent && !alphaPlaces.includes(band))) hiddenCount += hide(valid, i);
    }
  }
  return hiddenCount > 0 ? valid : null;
}

function hide(valid: Uint8Array, place: number): number {
  const was = valid[place]!;
  valid[place] = 0;
  return was;
}

/** value = stored · scale + offset by band, as doubles; what does not count is NaN. */
export function scaleSamples(
  data: PixelArray,
  valid: Uint8Array | null,
  scale: readonly number[],
  offset: readonly number[],
): Float64Array {
  const out = new Float64Array(data.length);
  const bandCount = scale.length;
  for (let i = 0, band = 0; i < data.length; i++) {
    out[i] = valid && !valid[i] ? NaN : data[i]! * scale[band]! + offset[band]!;
    if (++band === bandCount) band = 0;
  }
  return out;
}
