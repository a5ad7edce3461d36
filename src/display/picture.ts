import { crc32, deflateSync } from 'node:zlib';
import { PNG, TEXT, withMetadata, type MimeBundle } from './mime.js';
import { bandsOf, hiddenTest, type RasterData, type RasterLike } from './raster.js';
import { averagedBand, shownSize } from './shrink.js';

/** A picture to show: a PNG, and the size at which it is meant to be seen. */
export interface Picture {
  readonly base64: string;
  readonly width: number;
  readonly height: number;
  /** The picture in words. */
  readonly alt: string;
}

export interface PictureOptions {
  /** Places of the bands shown as red, green and blue, or of one shown as grey; default the first three, or the first. */
  readonly bands?: readonly number[];
  /** Longest side in pixels; larger images are averaged down. Default 256. */
  readonly maximumSide?: number;
  /**
   * Each band from its 2nd to its 98th percentile. Default: all but uint8, whose 0 … 255 are taken as the colours
   * they are.
   */
  readonly stretch?: boolean;
  /** The picture in words, for who cannot see it. */
  readonly alt?: string;
}

/** Red, green, blue, opacity of every pixel, 0 … 255; `data` is [height, width, 4]. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly height: number;
  readonly width: number;
}

const MAXIMUM_SIDE = 256;
/** Images smaller than this are shown in whole multiples of their pixels. */
const LEAST_SIDE = 128;

/**
 * Colours of an image, made smaller by averages or larger by repetition. Hidden pixels (no data, NaN) are
 * transparent; alpha is the fourth of four bands of uint8.
 * @throws RangeError for bands that the raster does not have
 */
export function colorPixels(raster: RasterLike, options: PictureOptions = {}): Pixels {
  const bandCount = bandsOf(raster);
  const isBytes = raster.data instanceof Uint8Array || raster.data instanceof Uint8ClampedArray;
  const alpha = isBytes && !options.bands && (bandCount === 4 || bandCount === 2) ? bandCount - 1 : undefined;
  const bands = options.bands ?? (bandCount >= 3 ? [0, 1, 2] : [0]);
  const wrong = bands.find((band) => !Number.isInteger(band) || band < 0 || band >= bandCount);
  if (wrong !== undefined || ![1, 3].includes(bands.length)) {
    throw new RangeError(
      wrong === undefined
        ? `A picture is made of one band or of three, not of ${bands.length}.`
        : `There is no band ${wrong}: the image has ${bandCount} (0 … ${bandCount - 1}).`,
    );
  }
  const size = shownSize(raster, options.maximumSide ?? MAXIMUM_SIDE);
  const isHidden = hiddenTest(raster);
  const planes = bands.map((band) => averagedBand({ ...raster, bandCount }, band, size, isHidden));
  const scales = planes.map((plane) =>
    (options.stretch ?? !isBytes) ? percentiles(plane, 0.02, 0.98) : ([0, 255] as const),
  );
  const opacity =
    alpha === undefined ? undefined : averagedBand({ ...raster, bandCount }, alpha, size, isHidden);
  const data = new Uint8Array(size.height * size.width * 4);
  for (let pixel = 0; pixel < size.height * size.width; pixel++) {
    if (planes.some((plane) => Number.isNaN(plane[pixel]!))) continue; // stays transparent
    for (let channel = 0; channel < 3; channel++) {
      const at = planes.length === 3 ? channel : 0;
      const [low, high] = scales[at]!;
      const value = (255 * (planes[at]![pixel]! - low)) / (high - low || 1);
      data[pixel * 4 + channel] = Math.max(0, Math.min(255, Math.round(value)));
    }
    data[pixel * 4 + 3] = opacity ? Math.round(opacity[pixel]!) : 255;
  }
  return enlarged({ data, ...size });
}

/** Colours of a label map, class by class, the nearest label where it is made smaller. Others are transparent. */
export function labelPixels(
  {
    data: labels,
    height,
    width,
  }: { readonly data: RasterData; readonly height: number; readonly width: number },
  colors: readonly (readonly [number, number, number] | undefined)[],
  maximumSide = MAXIMUM_SIDE,
): Pixels {
  const size = shownSize({ height, width }, maximumSide);
  const data = new Uint8Array(size.height * size.width * 4);
  for (let y = 0; y < size.height; y++) {
    const row = Math.floor(((y + 0.5) * height) / size.height);
    for (let x = 0; x < size.width; x++) {
      const color = colors[labels[row * width + Math.floor(((x + 0.5) * width) / size.width)]!];
      if (color) data.set([...color, 255], (y * size.width + x) * 4);
    }
  }
  return enlarged({ data, ...size });
}

/** Pictures of one height from left to right, with a gap that is seen through. */
export function sideBySide(pictures: readonly Pixels[], gap = 8): Pixels {
  const height = Math.max(...pictures.map((picture) => picture.height));
  const width = pictures.reduce((sum, picture) => sum + picture.width, gap * (pictures.length - 1));
  const data = new Uint8Array(height * width * 4);
  let left = 0;
  for (const picture of pictures) {
    for (let y = 0; y < picture.height; y++) {
      const row = picture.data.subarray(y * picture.width * 4, (y + 1) * picture.width * 4);
      data.set(row, (y * width + left) * 4);
    }
    left += picture.width + gap;
  }
  return { data, height, width };
}

export const toPicture = (pixels: Pixels, alt: string): Picture => ({
  base64: Buffer.from(encodePixels(pixels)).toString('base64'),
  width: pixels.width,
  height: pixels.height,
  alt,
});

/** The picture as an output of its own. */
export const pictureBundle = ({ base64, width, height, alt }: Picture): MimeBundle =>
  withMetadata({ [PNG]: base64, [TEXT]: `[image] ${alt}` }, { [PNG]: { width, height } });

/** Values below which the two shares lie; 0 and 1 where there is none. */
function percentiles(values: Float64Array, low: number, high: number): readonly [number, number] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return [0, 1];
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  return [at(low), at(high)];
}

function enlarged(pixels: Pixels): Pixels {
  const factor = Math.max(1, Math.floor(LEAST_SIDE / Math.max(pixels.height, pixels.width)));
  if (factor === 1) return pixels;
  const [height, width] = [pixels.height * factor, pixels.width * factor];
  const source = new Uint32Array(pixels.data.buffer);
  const out = new Uint32Array(height * width);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / factor) * pixels.width;
    for (let x = 0; x < width; x++) out[y * width + x] = source[row + Math.floor(x / factor)]!;
  }
  return { data: new Uint8Array(out.buffer), height, width };
}

/** PNG of 8 bits; each row holds differences to the pixel before, which packs photographs well. */
export function encodePixels({ data, height, width }: Pixels): Uint8Array {
  const isOpaque = data.every((value, index) => (index & 3) !== 3 || value === 255);
  const channels = isOpaque ? 3 : 4;
  const rows = Buffer.alloc(height * (1 + width * channels));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 1; // filter "Sub"
    for (let x = 0; x < width; x++) {
      const source = (y * width + x) * 4;
      for (let channel = 0; channel < channels; channel++)
        rows[at++] = (data[source + channel]! - (x > 0 ? data[source + channel - 4]! : 0)) & 255;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, isOpaque ? 2 : 6], 8); // bits; RGB or RGBA
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, content: Uint8Array = new Uint8Array(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(content.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
