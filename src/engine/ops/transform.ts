import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { rawOp } from './raw.js';

export interface TransformOptions {
  /** Default bilinear. */
  readonly interpolation?: 'nearest' | 'bilinear';
  /** What lies outside the image: one value (default), or the image mirrored. */
  readonly fill?: 'constant' | 'reflect';
  /** The one value; default 0. */
  readonly fillValue?: number;
  /** [height, width] of the result; default the image's. */
  readonly size?: readonly [number, number];
}

/**
 * Projective transform of images, for augmentation: output pixel (x, y) takes the input at
 * ((a₀x + a₁y + a₂) / k, (a₃x + a₄y + a₅) / k), k = a₆x + a₇y + 1. Has no gradient.
 * @param images [batch, height, width, channels], float32
 * @param coefficients [batch or 1, 8]: a₀ … a₇
 */
export function projectiveTransform(
  images: Tensor,
  coefficients: Tensor,
  options: TransformOptions = {},
): Tensor4D {
  const { interpolation = 'bilinear', fill = 'constant', fillValue = 0 } = options;
  const size = options.size ?? ((images as Tensor4D).shape.slice(1, 3) as [number, number]);
  return tf.tidy(() => {
    if (!isNative())
      return composed(images as Tensor4D, coefficients, { interpolation, fill, fillValue, size });
    const inputs = [images, coefficients, tf.tensor1d([...size], 'int32'), tf.scalar(fillValue)];
    return rawOp('ImageProjectiveTransformV3', inputs, {
      dtype: { type: 'float32' },
      interpolation: { text: interpolation.toUpperCase() },
      fill_mode: { text: fill.toUpperCase() },
    })[0] as Tensor4D;
  });
}

type Resolved = Required<TransformOptions>;

/** In plain numbers: tfjs' `cpu` kernel stops after the first image, its wasm kernel mirrors wrongly. */
function composed(images: Tensor4D, coefficients: Tensor, options: Resolved): Tensor4D {
  const [batch, height, width, channels] = images.shape;
  const [outHeight, outWidth] = options.size;
  const pixels = images.dataSync<'float32'>();
  const all = coefficients.dataSync<'float32'>();
  const result = new Float32Array(batch * outHeight * outWidth * channels).fill(options.fillValue);
  for (let image = 0; image < batch; image++) {
    const a = all.subarray(all.length === 8 ? 0 : image * 8);
    const read = (row: number, column: number, channel: number): number =>
      row < 0 || row >= height || column < 0 || column >= width
        ? options.fillValue
        : pixels[((image * height + row) * width + column) * channels + channel]!;
    for (let y = 0; y < outHeight; y++) {
      for (let x = 0; x < outWidth; x++) {
        const k = a[6]! * x + a[7]! * y + 1;
        if (k === 0) continue; // a point at infinity
        const column = inside((a[0]! * x + a[1]! * y + a[2]!) / k, width, options.fill);
        const row = inside((a[3]! * x + a[4]! * y + a[5]!) / k, height, options.fill);
        const at = ((image * outHeight + y) * outWidth + x) * channels;
        for (let channel = 0; channel < channels; channel++) {
          result[at + channel] = SAMPLERS[options.interpolation](row, column, (r, c) => read(r, c, channel));
        }
      }
    }
  }
  return tf.tensor4d(result, [batch, outHeight, outWidth, channels], 'float32');
}

/** A coordinate mirrored into [−1/2, size − 1/2] and held within the pixels; unchanged for `constant`. */
function inside(coordinate: number, size: number, fill: Resolved['fill']): number {
  if (fill === 'constant' || (coordinate >= 0 && coordinate <= size - 1)) return coordinate;
  const period = 2 * size;
  const shifted = (((coordinate + 0.5) % period) + period) % period;
  const mirrored = (shifted < size ? shifted : period - shifted) - 0.5;
  return Math.min(size - 1, Math.max(0, mirrored));
}

type Sampler = (row: number, column: number, read: (row: number, column: number) => number) => number;

const SAMPLERS: Readonly<Record<Resolved['interpolation'], Sampler>> = {
  nearest: (row, column, read) => read(roundHalfAway(row), roundHalfAway(column)),
  bilinear: (row, column, read) => {
    const [top, left] = [Math.floor(row), Math.floor(column)];
    const [down, right] = [row - top, column - left];
    const upper = (1 - right) * read(top, left) + right * read(top, left + 1);
    const lower = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1);
    return (1 - down) * upper + down * lower;
  },
};

const roundHalfAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));
