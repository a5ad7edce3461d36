import { conv2d } from '../engine/ops/conv.js';
import { addBias } from '../engine/ops/linear.js';
import { constantPad } from '../engine/ops/pad.js';
import { tf, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import { uniformByFanIn, type Scope } from './parameters.js';

export interface PatchEmbeddingOptions {
  readonly bandCount: number;
  /** Side in pixels. */
  readonly patchSize: number;
  readonly width: number;
  /** Default true. */
  readonly bias?: boolean;
}

/**
 * One vector a patch, by a convolution whose stride is its kernel; rows and columns that fill no patch are left out.
 * [batch, height, width, band] → [batch, height / patch, width / patch, width].
 * @throws InputError IMAGE_TOO_SMALL where there is no whole patch
 */
export function patchEmbedding(
  scope: Scope,
  { bandCount, patchSize, width, bias = true }: PatchEmbeddingOptions,
): (x: Tensor4D) => Tensor4D {
  const fanIn = bandCount * patchSize * patchSize;
  const shape = [patchSize, patchSize, bandCount, width];
  const kernel = scope.parameter('kernel', shape, uniformByFanIn(fanIn), 'kernel');
  const offset = bias ? scope.parameter('bias', [width], uniformByFanIn(fanIn), 'bias') : undefined;
  return (x) => {
    checkHoldsPatch(x.shape[1], x.shape[2], patchSize);
    const y = conv2d(x, kernel as unknown as Tensor4D, { stride: patchSize, padding: 'valid' });
    return offset ? (addBias(y, offset) as Tensor4D) : y;
  };
}

/** @throws InputError IMAGE_TOO_SMALL */
export function checkHoldsPatch(height: number, width: number, patchSize: number): void {
  if (height >= patchSize && width >= patchSize) return;
  throw new InputError(
    'IMAGE_TOO_SMALL',
    `The image of ${height} × ${width} pixels holds no patch of ${patchSize} × ${patchSize}.`,
    { where: 'images', hint: 'Give larger images, or resize them before the encoder.' },
  );
}

/** Zeros below and at the right, up to whole patches. */
export function padToPatch(image: Tensor4D, patchSize: number): Tensor4D {
  const [, height, width] = image.shape;
  const missing = (size: number): readonly [number, number] => [
    0,
    (patchSize - (size % patchSize)) % patchSize,
  ];
  return constantPad(image, [[0, 0], missing(height), missing(width), [0, 0]]);
}

/** [batch, row, column, width] → [batch, row · column, width] */
export const tokensOf = (map: Tensor4D): Tensor3D =>
  tf.reshape(map, [map.shape[0], map.shape[1] * map.shape[2], map.shape[3]]);

/** [batch, row · column, width] → [batch, row, column, width] */
export const mapOf = (tokens: Tensor3D, [rows, columns]: readonly [number, number]): Tensor4D =>
  tf.reshape(tokens, [tokens.shape[0], rows, columns, tokens.shape[2]]);
