import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { scaleBoxes, type Boxes } from './boxes.js';

export interface ImageTransformOptions {
  /** The shorter side is brought to this many pixels, as far as the longer one stays within `maxSize`. */
  readonly minSize: number;
  readonly maxSize: number;
  /** Of each band; default: the images are normalised already. */
  readonly mean?: readonly number[];
  readonly standardDeviation?: readonly number[];
  /** Sides of the batch are multiples of this; default 32. */
  readonly sizeDivisible?: number;
}

export interface ImageBatch {
  /** [batch, height, width, band], zeros below and to the right of smaller images. */
  readonly images: Tensor4D;
  /** [height, width] of each image in the batch, without padding. */
  readonly sizes: readonly (readonly [number, number])[];
  /** [height, width] of each image as it came. */
  readonly originalSizes: readonly (readonly [number, number])[];
}

type Size = readonly [height: number, width: number];

/** Size of an image in the batch; the factor is rounded to float32 and the sides are cut off. */
export function resizedSize([height, width]: Size, { minSize, maxSize }: ImageTransformOptions): Size {
  const factor = Math.fround(
    Math.min(Math.fround(minSize / Math.min(height, width)), Math.fround(maxSize / Math.max(height, width))),
  );
  return [Math.floor(height * factor), Math.floor(width * factor)];
}

/**
 * Normalises, resizes bilinearly and pads images to one batch. Reference: torchvision, GeneralizedRCNNTransform.
 * @param images [height, width, band] each, of any size
 */
export function batchImages(images: readonly Tensor3D[], options: ImageTransformOptions): ImageBatch {
  const { mean, standardDeviation, sizeDivisible = 32 } = options;
  const originalSizes = images.map(({ shape }): Size => [shape[0], shape[1]]);
  const sizes = originalSizes.map((size) => resizedSize(size, options));
  const side = (axis: 0 | 1): number =>
    Math.ceil(Math.max(...sizes.map((size) => size[axis])) / sizeDivisible) * sizeDivisible;
  const [high, wide] = [side(0), side(1)];
  const padded = images.map((image, at) =>
    tf.tidy(() => {
      const centred = mean ? tf.sub(image, tf.tensor1d([...mean])) : image;
      const scaled = standardDeviation ? tf.div(centred, tf.tensor1d([...standardDeviation])) : centred;
      const [height, width] = sizes[at]!;
      const resized = resize(tf.expandDims(scaled, 0), [height, width], { mode: 'bilinear' });
      return tf.pad(resized, [
        [0, 0],
        [0, high - height],
        [0, wide - width],
        [0, 0],
      ]) as Tensor4D;
    }),
  );
  const batch = padded.length === 1 ? padded[0]! : tf.concat(padded, 0);
  if (padded.length > 1) tf.dispose(padded);
  return { images: batch, sizes, originalSizes };
}

/** Boxes of an image follow it from one size to another. */
export const resizeBoxes = (boxes: Boxes, from: Size, to: Size): Boxes =>
  scaleBoxes(boxes, [Math.fround(to[0] / from[0]), Math.fround(to[1] / from[1])]);
