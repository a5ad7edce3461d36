import { tf, type Tensor, type Tensor4D } from '../tf.js';

/**
 * Who varies fastest among the channels that become a block of pixels. `channel-first`: channel · block² +
 * row · block + column (PyTorch's PixelShuffle). `block-first`: (row · block + column) · channels + channel
 * (TensorFlow's depth_to_space).
 */
export type ShuffleOrder = 'channel-first' | 'block-first';

/**
 * Turns channels into pixels. Differentiable in x.
 * @param x [batch, height, width, channels · block²]
 * @returns [batch, height · block, width · block, channels]
 */
export function pixelShuffle(x: Tensor, block: number, order: ShuffleOrder = 'channel-first'): Tensor4D {
  const [batch, height, width, depth] = (x as Tensor4D).shape;
  const channels = depth / (block * block);
  return tf.tidy(() => {
    const split = order === 'channel-first' ? [channels, block, block] : [block, block, channels];
    // → [batch · height, block row, width, block column, channel]
    const axes = order === 'channel-first' ? [0, 3, 1, 4, 2] : [0, 2, 1, 3, 4];
    const parts = x.reshape([batch * height, width, ...split]);
    return tf.transpose(parts, axes).reshape([batch, height * block, width * block, channels]) as Tensor4D;
  });
}

/**
 * Turns pixels into channels: the inverse of `pixelShuffle` (space to depth). Differentiable in x.
 * @param x [batch, height · block, width · block, channels]
 * @returns [batch, height, width, channels · block²]
 */
export function pixelUnshuffle(x: Tensor, block: number, order: ShuffleOrder = 'channel-first'): Tensor4D {
  const [batch, fullHeight, fullWidth, channels] = (x as Tensor4D).shape;
  const [height, width] = [fullHeight / block, fullWidth / block];
  return tf.tidy(() => {
    const parts = x.reshape([batch * height, block, width, block, channels]);
    const axes = order === 'channel-first' ? [0, 2, 4, 1, 3] : [0, 2, 1, 3, 4];
    return tf.transpose(parts, axes).reshape([batch, height, width, channels * block * block]) as Tensor4D;
  });
}
