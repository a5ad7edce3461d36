import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor1D, type Tensor2D, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { scatterAdd } from './gather.js';
import { rawOp } from './raw.js';

/**
 * Cuts boxes out of images and resizes each bilinearly. Differentiable in the images; boxes get no gradient.
 * @param images [batch, height, width, channels]
 * @param boxes [box, 4]: top, left, bottom, right as shares of height − 1 and width − 1; samples that fall
 *   outside the image are 0
 * @param imageIndices [box], int32: the image of each box
 * @param size [height, width] of every crop
 * @returns [box, size[0], size[1], channels]
 */
export function cropAndResize(
  images: Tensor,
  boxes: Tensor,
  imageIndices: Tensor,
  size: readonly [number, number],
): Tensor4D {
  const { shape } = images as Tensor4D;
  return withGradient<Tensor4D>([images], (input) => ({
    value: tf.image.cropAndResize(
      input as Tensor4D,
      boxes as Tensor2D,
      imageIndices as Tensor1D,
      [...size],
      'bilinear',
      0,
    ),
    saved: [boxes, imageIndices],
    backward: (dy, [savedBoxes, savedIndices]) => [
      (isNative() ? nativeBackward : composedBackward)(dy, savedBoxes!, savedIndices!, shape),
    ],
  }));
}

type ImageShape = readonly [batch: number, height: number, width: number, channels: number];

const nativeBackward = (dy: Tensor, boxes: Tensor, imageIndices: Tensor, shape: ImageShape): Tensor =>
  rawOp('CropAndResizeGradImage', [dy, boxes, imageIndices, tf.tensor1d([...shape], 'int32')], {
    T: { type: 'float32' },
    method: { text: 'bilinear' },
  })[0]!;

/** Two products a box with the transposed interpolation weights, then a sum over the boxes of an image. */
function composedBackward(dy: Tensor, boxes: Tensor, imageIndices: Tensor, shape: ImageShape): Tensor {
  const [batch, height, width, channels] = shape;
  const [boxCount, cropHeight, cropWidth] = dy.shape as [number, number, number];
  const corners = boxes.dataSync<'float32'>();
  const rows = sampleWeights(corners, 0, cropHeight, height);
  const columns = sampleWeights(corners, 1, cropWidth, width);
  const acrossRows = tf
    .matMul(rows, dy.reshape([boxCount, cropHeight, cropWidth * channels]), true, false)
    .reshape([boxCount, height, cropWidth, channels]);
  const perColumn = tf.transpose(acrossRows, [0, 2, 1, 3]).reshape([boxCount, cropWidth, height * channels]);
  const perBox = tf.matMul(columns, perColumn, true, false).reshape([boxCount, width, height, channels]);
  return tf.transpose(scatterAdd(perBox, imageIndices, batch), [0, 2, 1, 3]);
}

/** Weights [box, sample, pixel] along one axis: 0 top to bottom, 1 left to right. */
function sampleWeights(corners: Float32Array, axis: 0 | 1, sampleCount: number, pixelCount: number): Tensor {
  const boxCount = corners.length / 4;
  const weights = new Float32Array(boxCount * sampleCount * pixelCount);
  for (let box = 0; box < boxCount; box++) {
    const from = corners[box * 4 + axis]! * (pixelCount - 1);
    const to = corners[box * 4 + axis + 2]! * (pixelCount - 1);
    for (let sample = 0; sample < sampleCount; sample++) {
      const at = sampleCount > 1 ? from + (sample * (to - from)) / (sampleCount - 1) : (from + to) / 2;
      if (at < 0 || at > pixelCount - 1) continue;
      const row = (box * sampleCount + sample) * pixelCount;
      const share = at - Math.floor(at);
      weights[row + Math.floor(at)]! += 1 - share;
      weights[row + Math.ceil(at)]! += share;
    }
  }
  return tf.tensor3d(weights, [boxCount, sampleCount, pixelCount], 'float32');
}
