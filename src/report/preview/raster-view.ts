import type { Pixels } from '../../display/picture.js';
import { averagedBand, shownSize } from '../../display/shrink.js';
import type { LabelArray, PixelArray } from '../../io/raster.js';
import { viridis, type Color } from './colors.js';

/** One plane of numbers, [height, width]; NaN where there is no value. */
export interface Plane {
  readonly values: Float32Array;
  readonly height: number;
  readonly width: number;
}

/** Least and greatest value that are told apart. */
export type Stretch = readonly [low: number, high: number];

interface PlaneSource {
  readonly data: PixelArray;
  readonly valid: Uint8Array | null;
  readonly timeCount: number;
  readonly height: number;
  readonly width: number;
  readonly bands: readonly string[];
}

/** A band of one date as it is drawn: averaged where it is larger than `side` pixels. NaN where no value counts. */
export function planeOf(image: PlaneSource, band: number, time: number, side: number): Plane {
  const { data, valid, height, width, bands } = image;
  const bandCount = bands.length;
  const start = time * height * width * bandCount;
  const size = shownSize(image, side);
  // masked, NaN or infinite
  const isHidden = (value: number, at: number): boolean =>
    (valid !== null && valid[at] === 0) || value - value !== 0;
  const means = averagedBand({ data, height, width, bandCount, start }, band, size, isHidden);
  return { values: Float32Array.from(means), ...size };
}

/** A map of numbers, such as the target of a regression. */
export const planeOfValues = (
  data: PixelArray,
  valid: Uint8Array | null,
  { height, width }: { readonly height: number; readonly width: number },
  side: number,
): Plane => planeOf({ data, valid, height, width, timeCount: 1, bands: [''] }, 0, 0, side);

/** Labels as they are drawn: the one in the middle of each drawn pixel. */
export function shownLabels({ data, height, width }: LabelArray, side: number): LabelArray {
  const size = shownSize({ height, width }, side);
  if (size.height === height) return { data, height, width };
  const shown = new Int32Array(size.height * size.width);
  for (let y = 0; y < size.height; y++) {
    const row = Math.floor(((y + 0.5) * height) / size.height);
    for (let x = 0; x < size.width; x++)
      shown[y * size.width + x] = data[row * width + Math.floor(((x + 0.5) * width) / size.width)]!;
  }
  return { data: shown, ...size };
}

/** From the 2nd to the 98th percentile; null where nothing counts. */
export function stretchOf({ values }: Plane): Stretch | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return null;
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  return [at(0.02), at(0.98)];
}

/** Stripes where a pixel has no value; the legend says so. */
const HATCH: readonly [Color, Color] = [
  [214, 216, 219],
  [164, 168, 174],
];
const hatch = (x: number, y: number): Color => HATCH[(x + y) % 16 < 6 ? 1 : 0];
/** Where a pixel has no label. */
export const NO_LABEL: Color = [226, 228, 231];

/** Drawn pixels, and whether any of them is hatched. */
export interface View {
  readonly pixels: Pixels;
  readonly isHatched: boolean;
}

/** One plane as grey, or three as red, green and blue. */
export function colorView(planes: readonly Plane[], stretches: readonly Stretch[], side: number): View {
  const first = planes[0]!;
  return draw(first, side, (at) => {
    const color = [0, 0, 0] as [number, number, number];
    for (let channel = 0; channel < 3; channel++) {
      const which = planes.length === 3 ? channel : 0;
      const value = planes[which]!.values[at]!;
      if (Number.isNaN(value)) return undefined;
      const [low, high] = stretches[which]!;
      color[channel] = Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1))));
    }
    return color;
  });
}

/** Numbers by a ramp of colours from dark to light. */
export const rampView = (plane: Plane, [low, high]: Stretch, side: number): View =>
  draw(plane, side, (at) => {
    const value = plane.values[at]!;
    return Number.isNaN(value) ? undefined : viridis((value - low) / (high - low || 1));
  });

/** Labels by the colours of their classes; others are the tone of "no label". */
export const labelView = (
  labels: LabelArray,
  colorOf: (label: number) => Color | undefined,
  side: number,
): View => draw(labels, side, (at) => colorOf(labels.data[at]!) ?? NO_LABEL);

/** Labels over a picture; where there is no label, the picture alone. */
export function overlayView(
  under: View,
  { data: labels, height: rows, width: columns }: LabelArray,
  colorOf: (label: number) => Color | undefined,
): View {
  const { height, width, data } = under.pixels;
  const mixed = data.slice();
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * rows) / height);
    for (let x = 0; x < width; x++) {
      const color = colorOf(labels[row * columns + Math.floor(((x + 0.5) * columns) / width)]!);
      if (!color) continue;
      const to = (y * width + x) * 4;
      for (const [channel, value] of color.entries())
        mixed[to + channel] = Math.round((1 - OVERLAY) * data[to + channel]! + OVERLAY * value);
    }
  }
  return { pixels: { data: mixed, height, width }, isHatched: under.isHatched };
}

/** Outlines of objects over a picture: pixels whose object differs from that of the pixel above or to the left. */
export function outlineView(under: View, { data: objects, height: rows, width: columns }: LabelArray): View {
  const { height, width, data } = under.pixels;
  const drawn = data.slice();
  const objectAt = (x: number, y: number): number => {
    const row = Math.floor(((y + 0.5) * rows) / height);
    return objects[row * columns + Math.floor(((x + 0.5) * columns) / width)]!;
  };
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const own = objectAt(x, y);
      const isEdge = own !== objectAt(x - 1, y) || own !== objectAt(x, y - 1);
      if (isEdge) drawn.set(OUTLINE, (y * width + x) * 4);
    }
  }
  return { pixels: { data: drawn, height, width }, isHatched: under.isHatched };
}

const OUTLINE: Color = [255, 235, 60];

/** How much of a label's colour is seen over a picture. */
const OVERLAY = 0.5;

/** Small rasters are drawn in whole multiples of their pixels. @param colorAt undefined: hatched */
function draw(
  { height, width }: { readonly height: number; readonly width: number },
  side: number,
  colorAt: (at: number) => Color | undefined,
): View {
  const factor = Math.max(1, Math.floor(side / Math.max(height, width)));
  const size = { height: height * factor, width: width * factor };
  const data = new Uint8Array(size.height * size.width * 4);
  let isHatched = false;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const color = colorAt(row * width + column);
      isHatched ||= color === undefined;
      for (let y = row * factor; y < (row + 1) * factor; y++) {
        for (let x = column * factor; x < (column + 1) * factor; x++) {
          const [red, green, blue] = color ?? hatch(x, y);
          const to = (y * size.width + x) * 4;
          data[to] = red;
          data[to + 1] = green;
          data[to + 2] = blue;
          data[to + 3] = 255;
        }
      }
    }
  }
  return { pixels: { data, ...size }, isHatched };
}
