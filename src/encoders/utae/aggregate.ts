import { avgPool2d } from '../../engine/ops/pool.js';
import { resize } from '../../engine/ops/resize.js';
import { tf, type Tensor, type Tensor2D, type Tensor4D, type Tensor5D } from '../../engine/tf.js';

/**
 * How a series of maps becomes one: by the attention of the head that a group of channels belongs to, by the mean
 * attention of all heads, or by the mean over dates.
 */
export type Aggregation = 'attention-by-group' | 'attention-mean' | 'mean';

/**
 * One map of a series.
 * @param maps [batch, time, height, width, channels]
 * @param attention of the coarsest level: [batch, height', width', head, time]
 * @param isDate 0 where a date is padding: [batch, time]
 * @returns [batch, height, width, channels]
 */
export function aggregate(
  mode: Aggregation,
  maps: Tensor5D,
  attention: Tensor5D,
  isDate: Tensor2D,
): Tensor4D {
  const [batch, time, height, width, channels] = maps.shape;
  if (mode === 'mean') {
    const dates = tf.reshape(isDate, [batch, time, 1, 1, 1]);
    const count = tf.maximum(tf.sum(dates, 1), 1);
    return tf.div(tf.sum(tf.mul(maps, dates), 1), count) as Tensor4D;
  }
  const [, rows, columns, headCount] = attention.shape;
  const byHead = mode === 'attention-mean' ? tf.mean(attention, 3, true) : attention;
  const heads = mode === 'attention-mean' ? 1 : headCount;
  const flat = tf.reshape(byHead, [batch, rows, columns, heads * time]) as Tensor4D;
  const isFiner = mode === 'attention-mean' || height > columns;
  // maps that are not finer take the mean of the attention over their pixels
  const resized: Tensor = isFiner
    ? resize(flat, [height, width], { mode: 'bilinear' })
    : avgPool2d(flat, { kernel: Math.floor(columns / height) });
  const weights = tf.transpose(tf.reshape(resized, [batch, height * width, heads, time]), [0, 3, 1, 2]);
  const dated = tf.mul(weights, tf.reshape(isDate, [batch, time, 1, 1]));
  const perPixel = batch * time * height * width;
  const weighted = tf.mul(
    tf.reshape(maps, [perPixel, heads, channels / heads]),
    tf.reshape(dated, [perPixel, heads, 1]),
  );
  return tf.sum(tf.reshape(weighted, [batch, time, height, width, channels]), 1) as Tensor4D;
}
