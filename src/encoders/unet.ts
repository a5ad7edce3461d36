import { z } from 'zod';
import { maxPool2d } from '../engine/ops/pool.js';
import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { doubleConvolution } from '../layers/double-convolution.js';
import { checkHoldsPatch } from '../layers/patch-embedding.js';
import { defineEncoder } from './define-encoder.js';
import { joinedSeriesOf } from './images.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  /** Bands of all modalities together, joined in the order optical, sar. */
  bandCount: count,
  /** Channels of the levels; the level below the last has as many as it. */
  widths: z.array(count).min(1).default([64, 128, 256, 512]),
  /** Dates of a series, which a double convolution merges into one image; default 1. */
  dateCount: count.default(1),
  batchNormEpsilon: z.number().positive().default(1e-5),
});

/**
 * Encoder of the U-Net (Ronneberger et al. 2015) as PANGAEA has it: a double convolution, then levels of pooling and
 * double convolution. Features are all levels, strides 1, 2, 4, …; PANGAEA's class gives the same maps coarsest first.
 */
export const unet = defineEncoder('unet', {
  hyperparameters,
  build(scope, { bandCount, widths, dateCount, batchNormEpsilon: epsilon }) {
    const merge =
      dateCount > 1
        ? doubleConvolution(scope.child('time_merging').child('conv'), {
            ...{ inChannels: bandCount * dateCount, outChannels: bandCount, epsilon },
          })
        : undefined;
    const first = doubleConvolution(scope.child('in_conv').child('conv').child('conv'), {
      ...{ inChannels: bandCount, outChannels: widths[0]!, epsilon },
    });
    const outputs = widths.map((width, level) => widths[level + 1] ?? width);
    const levels = widths.map((width, level) => {
      const down = scope
        .child('encoder')
        .child('down_seq')
        .child(`down${level + 1}`);
      return doubleConvolution(down.child('mpconv').child(1).child('conv'), {
        ...{ inChannels: width, outChannels: outputs[level]!, epsilon },
      });
    });
    return {
      dates: dateCount,
      features: [widths[0]!, ...outputs].map((channels, level) => ({ channels, stride: 2 ** level })),
      forward(input, context) {
        const series = joinedSeriesOf(input, bandCount, dateCount);
        checkHoldsPatch(series.shape[2], series.shape[3], 2 ** widths.length);
        let image = merge ? bandsAndDates(series) : (tf.squeeze(series, [1]) as Tensor4D);
        if (merge) {
          image = merge(image, context);
          context.observe?.('time_merging', image, 'channels-last');
        }
        const maps = [first(image, context)];
        context.observe?.('in_conv', maps[0]!, 'channels-last');
        for (const level of levels)
          maps.push(level(maxPool2d(maps.at(-1)!, { kernel: 2, stride: 2 }), context));
        return maps;
      },
    };
  },
  bandLayers: /^in_conv\.conv\.conv\.0\.weight$/,
  weights: { rename: [], discard: [] },
});

/** [batch, date, height, width, band] → [batch, height, width, band · date] */
function bandsAndDates(series: Tensor5D): Tensor4D {
  const [batch, dates, height, width, bands] = series.shape;
  return tf.reshape(tf.transpose(series, [0, 2, 3, 4, 1]), [batch, height, width, bands * dates]);
}
