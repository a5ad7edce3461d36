import { decode, encode } from 'fast-png';

/** Class indices of one window, [height, width]. */
export interface LabelMap {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Class 0 is the background; 255 marks pixels without a truth, which are left as they are. */
const BACKGROUND = 0;
const NO_TRUTH = 255;

export type OverlayKind = 'truth' | 'hit' | 'miss' | 'false-alarm';

/** Red, green, blue. Told apart with any common colour blindness, and from green and brown ground. */
export const OVERLAY_COLORS: Readonly<Record<OverlayKind, readonly [number, number, number]>> = {
  truth: [255, 255, 255],
  hit: [255, 214, 64],
  miss: [255, 90, 50],
  'false-alarm': [70, 180, 255],
};

/** @throws Error for bytes that are no 8-bit grey PNG */
export function decodeLabels(png: Uint8Array): LabelMap {
  const { width, height, data, channels, depth } = decode(png);
  if (channels !== 1 || depth !== 8 || !(data instanceof Uint8Array)) {
    throw new Error(`a label image has ${channels} channels of ${depth} bits, not one of 8`);
  }
  return { width, height, data };
}

/** Where the truth has a class other than the background. */
export const truthOverlay = (truth: LabelMap): Uint8Array =>
  drawOverlay(truth, (i) => (isObject(truth.data[i]!) ? 'truth' : undefined));

/**
 * Hits (the true class), misses (an object taken for something else) and false alarms (background taken for
 * an object), as a transparent PNG to lay over the image.
 * @throws Error where the two maps have different sizes
 */
export function predictionOverlay(truth: LabelMap, prediction: LabelMap): Uint8Array {
  if (truth.width !== prediction.width || truth.height !== prediction.height) {
    throw new Error(
      `the prediction is ${prediction.width} × ${prediction.height} px, the truth ${truth.width} × ${truth.height}`,
    );
  }
  return drawOverlay(truth, (i) => {
    const is = truth.data[i]!;
    const said = prediction.data[i]!;
    if (is === NO_TRUTH) return undefined;
    if (is === said) return is === BACKGROUND ? undefined : 'hit';
    return is === BACKGROUND ? 'false-alarm' : 'miss';
  });
}

const isObject = (label: number): boolean => label !== BACKGROUND && label !== NO_TRUTH;

/** A see-through fill with a solid line along its rim. */
function drawOverlay(
  { width, height }: LabelMap,
  kindAt: (index: number) => OverlayKind | undefined,
): Uint8Array {
  const kinds = Array.from({ length: width * height }, (_, i) => kindAt(i));
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const kind = kinds[i];
      if (!kind) continue;
      const isRim =
        (x > 0 && kinds[i - 1] !== kind) ||
        (x < width - 1 && kinds[i + 1] !== kind) ||
        (y > 0 && kinds[i - width] !== kind) ||
        (y < height - 1 && kinds[i + width] !== kind);
      data.set(OVERLAY_COLORS[kind], i * 4);
      data[i * 4 + 3] = isRim ? 235 : 90;
    }
  }
  return encode({ width, height, data, channels: 4, depth: 8 });
}
