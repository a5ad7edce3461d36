import { InputError } from '../../errors.js';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D } from '../../engine/tf.js';

/**
 * Tokens become a map. Dates are the outer part of the channels: [batch, prefix + date · row · column, width] → [batch,
 * row, column, date · width], of a square image.
 * Reference: TerraTorch, ReshapeTokensToImage.
 * @param prefixCount class tokens in front, which are left out; default 1
 * @param dateCount default 1
 * @throws InputError SHAPE_MISMATCH where the tokens are no square map of each date
 */
export function tokensToMap(
  tokens: Tensor3D,
  { prefixCount = 1, dateCount = 1 }: { readonly prefixCount?: number; readonly dateCount?: number } = {},
): Tensor4D {
  const [batch, count, width] = tokens.shape;
  const side = Math.sqrt((count - prefixCount) / dateCount);
  if (!Number.isInteger(side)) {
    throw new InputError(
      'SHAPE_MISMATCH',
      `${count - prefixCount} tokens are no square map of each of ${dateCount} dates.`,
      { where: 'tokens', hint: 'Give square images, and the number of dates and of class tokens.' },
    );
  }
  const patches = tf.slice(tokens, [0, prefixCount, 0], [-1, -1, -1]);
  const byPlace = tf.transpose(tf.reshape(patches, [batch, dateCount, side * side, width]), [0, 2, 1, 3]);
  return tf.reshape(byPlace, [batch, side, side, dateCount * width]);
}

/**
 * One vector of all tokens: [batch, token, width] → [batch, width].
 * Reference: TerraTorch, AggregateTokens.
 * @param how `class-token`: the first. `mean`: of the others.
 */
export function pooledTokens(tokens: Tensor3D, how: 'class-token' | 'mean'): Tensor2D {
  if (how === 'class-token') return tf.squeeze(tf.slice(tokens, [0, 0, 0], [-1, 1, -1]), [1]);
  return tf.mean(tf.slice(tokens, [0, 1, 0], [-1, -1, -1]), 1) as Tensor2D;
}
