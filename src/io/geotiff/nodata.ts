import type { SampleType } from './layout.js';

/** Least and greatest number of a sample type. */
const RANGES: Readonly<Record<SampleType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65_535],
  int16: [-32_768, 32_767],
  uint32: [0, 2 ** 32 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint64: [0, 2 ** 64],
  int64: [-(2 ** 63), 2 ** 63],
  float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i;

/**
 * The value of hidden pixels from its text; null where there is none, or one that the type cannot hold: then no pixel
 * is hidden. A float32 comes as pixels have it.
 */
export function parseNodata(text: string | undefined, type: SampleType): number | null {
  const clean = text?.replace(/\0[\s\S]*$/, '').trim() ?? '';
  const isFloat = type.startsWith('float');
  if (/^[+-]?nan/i.test(clean)) return isFloat ? NaN : null;
  const infinite = /^([+-]?)inf/i.exec(clean);
  if (infinite) return isFloat ? (infinite[1] === '-' ? -Infinity : Infinity) : null;
  const number = NUMBER.exec(clean);
  return number ? asPixel(Number(number[0]), type) : null;
}

/** A value as pixels of the type have it; null where they cannot. */
export function asPixel(value: number, type: SampleType): number | null {
  if (Number.isNaN(value) || !Number.isFinite(value)) return type.startsWith('float') ? value : null;
  const pixel = type === 'float32' ? Math.fround(value) : value;
  const [least, greatest] = RANGES[type];
  return pixel >= least && pixel <= greatest ? pixel : null;
}

/** How near to the end of a float type a value stands for the end: its text is often shortened. */
const NEAR_THE_END = 1 - 1e-4;

/** Whether a pixel is hidden by `nodata`. */
export function hiddenBy(nodata: number | null, type: SampleType): (pixel: number) => boolean {
  if (nodata === null) return () => false;
  if (Number.isNaN(nodata)) return Number.isNaN;
  const [, greatest] = RANGES[type];
  if (type.startsWith('float') && Number.isFinite(nodata) && Math.abs(nodata) >= greatest * NEAR_THE_END) {
    const end = Math.sign(nodata) * greatest * NEAR_THE_END;
    return end > 0
      ? (pixel) => pixel >= end && pixel !== Infinity
      : (pixel) => pixel <= end && pixel !== -Infinity;
  }
  return (pixel) => pixel === nodata;
}
