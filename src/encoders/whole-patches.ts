import { pixelUnshuffle, type ShuffleOrder } from '../engine/ops/pixel-shuffle.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { checkHoldsPatch } from '../layers/patch-embedding.js';

/**
 * The pixels of every patch in one row; rows and columns that fill no patch are left out.
 * @param images [batch, height, width, band]
 * @param order of the numbers of a patch: `channel-first` [band, row, column], `block-first` [row, column, band]
 * @returns [batch, height / patch, width / patch, band · patch²]
 * @throws InputError IMAGE_TOO_SMALL
 */
export function patchRows(images: Tensor4D, patchSize: number, order: ShuffleOrder): Tensor4D {
  const [batch, height, width, bands] = images.shape;
  checkHoldsPatch(height, width, patchSize);
  const whole = [height, width].map((size) => size - (size % patchSize)) as [number, number];
  const isWhole = whole[0] === height && whole[1] === width;
  const used = isWhole ? images : tf.slice(images, [0, 0, 0, 0], [batch, ...whole, bands]);
  return pixelUnshuffle(used, patchSize, order);
}
