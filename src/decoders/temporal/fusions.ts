import { InputError } from '../../errors.js';
import { matMul } from '../../engine/ops/linear.js';
import { tf, type Tensor4D, type Tensor5D } from '../../engine/tf.js';
import type { FeatureSpec } from '../../encoders/encoder.js';
import { convolution } from '../../layers/convolution.js';
import { ltae } from '../../layers/ltae.js';
import { uniformByFanIn, type Scope } from '../../layers/parameters.js';
import { decoderMisfit } from '../decoder.js';
import { checkDates, type BuildFusion, type TemporalFusion } from './temporal-fusion.js';

/** A weighted sum over the dates and a bias, the same for all maps and channels. Reference: PANGAEA, linear. */
export const temporalLinear: BuildFusion = (scope, features, { dateCount }) => {
  const at = scope.child('tmap');
  const initializer = uniformByFanIn(dateCount);
  const weights = at.parameter('kernel', [dateCount, 1], initializer, 'kernel');
  const bias = at.parameter('bias', [1], initializer, 'bias');
  return {
    features,
    run: (series, context) =>
      series.map((map) => {
        checkDates('temporal-linear', map, dateCount);
        const [batch, , height, width, channels] = map.shape;
        const dates = tf.reshape(map, [batch, dateCount, height * width * channels]);
        const sum = tf.add(matMul(tf.reshape(weights, [1, 1, dateCount]), dates), bias);
        context.observe?.('tmap', tf.reshape(sum, [batch, height, width, 1, channels]), 'channels-last');
        return tf.reshape(sum, [batch, height, width, channels]) as Tensor4D;
      }),
  };
};

export interface LtaeFusionOptions {
  /** Default 16. */
  readonly heads?: number;
  /** Width of a head's query and keys; default 4. */
  readonly keyWidth?: number;
  /** Of the perceptron behind the attention; default 1. */
  readonly layers?: number;
}

/**
 * Lightweight temporal attention without positions, one for all maps; where their channels differ, a 1 × 1 convolution
 * brings each to the largest number first. Reference: PANGAEA, ltae.
 */
export const temporalLtae = (
  scope: Scope,
  features: readonly FeatureSpec[],
  { heads = 16, keyWidth = 4, layers = 1 }: LtaeFusionOptions = {},
): TemporalFusion => {
  const width = Math.max(...features.map(({ channels }) => channels));
  if (width % heads !== 0) {
    throw decoderMisfit(
      `The ${heads} heads of the L-TAE share ${width} channels, which they do not divide.`,
      'Choose another temporal fusion (linear, mean), or maps whose widest has a multiple of 16 channels.',
    );
  }
  const isEqual = features.every(({ channels }) => channels === width);
  const adaptor = scope.child('ltae_adaptor').child('convs');
  const adapt = isEqual
    ? undefined
    : features.map(({ channels }, level) =>
        convolution(adaptor.child(level), {
          ...{ inChannels: channels, outChannels: width, kernelSize: 1, bias: true },
        }),
      );
  const attend = ltae(scope.child('tmap'), {
    ...{ inChannels: width, modelWidth: width, heads, keyWidth, positions: false },
    widths: Array.from({ length: layers }, () => width),
  });
  return {
    features: features.map(({ stride }) => ({ channels: width, stride })),
    run: (series, context) =>
      series.map((map, level) => {
        const [batch, dates, height, columns, channels] = map.shape;
        let x = map;
        if (adapt) {
          const images = tf.reshape(map, [batch * dates, height, columns, channels]) as Tensor4D;
          x = tf.reshape(adapt[level]!(images, context), [batch, dates, height, columns, width]);
          context.observe?.('adaptor', x, 'channels-last');
        }
        const fused = attend({ x }, context).map;
        context.observe?.('tmap', fused, 'channels-last');
        return fused;
      }),
  };
};

/** The mean of the dates. */
export const temporalMean: BuildFusion = (_scope, features) => ({
  features,
  run: (series) => series.map((map) => tf.mean(map, 1) as Tensor4D),
});

/** The channels of all dates, one date after the other. Reference: PANGAEA, siamese concatenation. */
export const siameseConcat: BuildFusion = (_scope, features, { dateCount }) => ({
  features: features.map(({ channels, stride }) => ({ channels: channels * dateCount, stride })),
  run: (series) =>
    series.map((map) => {
      checkDates('siamese-concat', map, dateCount);
      return tf.concat(tf.unstack(map, 1) as Tensor4D[], 3) as Tensor4D;
    }),
});

/** The second date minus the first. Reference: PANGAEA, siamese difference. */
export const siameseDifference: BuildFusion = (_scope, features, { dateCount }) => {
  if (dateCount !== 2) {
    throw new InputError('TIME_STEPS', `siamese-diff compares two dates, and there are ${dateCount}.`, {
      where: 'dateCount',
      hint: 'Choose two dates, or another fusion: siamese-concat takes any number.',
    });
  }
  return {
    features,
    run: (series) =>
      series.map((map: Tensor5D) => {
        checkDates('siamese-diff', map, 2);
        const [before, after] = tf.unstack(map, 1) as [Tensor4D, Tensor4D];
        return tf.sub<Tensor4D>(after, before);
      }),
  };
};
