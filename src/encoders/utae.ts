import { z } from 'zod';
import { InputError } from '../errors.js';
import { tf, type Tensor2D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { ForwardContext, Layer } from '../layers/layer.js';
import { ltae } from '../layers/ltae.js';
import type { Scope } from '../layers/parameters.js';
import { defineEncoder } from './define-encoder.js';
import type { AcquisitionTime, FeatureSpec } from './encoder.js';
import { imageSeriesOf } from './images.js';
import { missingInput, timesOf } from './metadata.js';
import { aggregate } from './utae/aggregate.js';
import { convolutions, downBlock, upBlock, type UtaeBlockOptions } from './utae/blocks.js';

const count = z.int().positive();
const norms = z.enum(['group', 'batch', 'instance', 'none']);

const hyperparameters = z
  .strictObject({
    bandCount: count,
    /** Channels of the levels on the way down, finest first. */
    encoderWidths: z.array(count).min(2).default([64, 64, 64, 128]),
    /** Channels on the way up, finest first; the last equals the encoder's. */
    decoderWidths: z.array(count).min(2).default([32, 32, 64, 128]),
    /** Channels of convolutions behind the finest level, the last as many as classes; default none. */
    outWidths: z.array(count).default([]),
    /** Of the convolutions that halve and double maps. */
    kernelSize: count.default(4),
    stride: count.default(2),
    padding: z.int().nonnegative().default(1),
    aggregation: z.enum(['attention-by-group', 'attention-mean', 'mean']).default('attention-by-group'),
    encoderNorm: norms.default('group'),
    decoderNorm: norms.default('batch'),
    normGroups: count.default(4),
    paddingMode: z.enum(['reflect', 'zeros']).default('reflect'),
    heads: count.default(16),
    modelWidth: count.default(256),
    keyWidth: count.default(4),
    /** Longest period of the positions, in days. */
    positionPeriod: z.number().positive().default(1000),
    /** Value of all pixels of a date that is padding; null: every date counts. */
    padValue: z.number().nullable().default(0),
    /** Day that positions count from, `YYYY-MM-DD`; PASTIS has the default. */
    referenceDate: z.iso.date().default('2018-09-01'),
  })
  .refine(({ encoderWidths, decoderWidths }) => encoderWidths.length === decoderWidths.length, {
    path: ['decoderWidths'],
    message: 'one width a level is due, as in encoderWidths',
  })
  .refine(({ encoderWidths, decoderWidths }) => encoderWidths.at(-1) === decoderWidths.at(-1), {
    path: ['decoderWidths'],
    message: 'the last width is that of encoderWidths',
  });

/** What a U-TAE is made of. */
export type UtaeOptions = z.infer<typeof hyperparameters>;

/** Maps of the way up, finest first, and the attention of the coarsest level, [batch, height, width, head, time]. */
export interface UtaeResult {
  readonly maps: Tensor4D[];
  readonly attention: Tensor5D;
}

/**
 * U-TAE (Garnot & Landrieu 2021): a U-Net whose way down reads each date, temporal attention at the coarsest level, and
 * skips that the same attention brings to one map. Features are the maps of the way up, finest first, before them the
 * result of `outWidths` where there are such. Takes dates in `times`.
 */
export const utae = defineEncoder('utae', {
  hyperparameters,
  build(scope, options) {
    const run = buildUtae(scope, options);
    const { decoderWidths, outWidths, stride } = options;
    const output: FeatureSpec[] = outWidths.length > 0 ? [{ channels: outWidths.at(-1)!, stride: 1 }] : [];
    return {
      dates: 'any',
      features: [
        ...output,
        ...decoderWidths.map((channels, level) => ({ channels, stride: stride ** level })),
      ],
      forward(input, context) {
        const series = imageSeriesOf(input, options.bandCount);
        const [batch, dates, height, width] = series.shape;
        checkHalves(height, width, stride ** (decoderWidths.length - 1));
        const times = timesOf(input, batch, dates);
        if (!times) {
          throw missingInput(
            'the date of each image',
            'times',
            'Give times, [batch][time], with year and day of year.',
          );
        }
        const days = times.map((ofSample) => ofSample.map((time) => daysSince(options.referenceDate, time)));
        return run(series, tf.tensor2d(days), context).maps;
      },
    };
  },
  bandLayers: /^in_conv\.conv\.conv\.0\.weight$/,
  weights: ({ outWidths }) => ({
    // trained through a panoptic model
    rename: [[/^(?:utae|encoder)\./, '']],
    discard: [...(outWidths.length === 0 ? [/^(?:(?:utae|encoder)\.)?out_conv\./] : [])],
  }),
});

/** The way up has to meet the sizes of the way down. */
function checkHalves(height: number, width: number, multiple: number): void {
  if (height % multiple === 0 && width % multiple === 0) return;
  throw new InputError(
    'SHAPE_MISMATCH',
    `The images have ${height} × ${width} pixels, and the encoder takes multiples of ${multiple}.`,
    { where: 'images', hint: `Crop or pad the images to multiples of ${multiple} pixels.` },
  );
}

const MS_A_DAY = 86_400_000;

/** Days, with the hour as their fraction. */
function daysSince(referenceDate: string, { year, dayOfYear, hour = 0 }: AcquisitionTime): number {
  const midnight = (Date.UTC(year, 0, 1) - Date.parse(`${referenceDate}T00:00:00Z`)) / MS_A_DAY;
  return midnight + dayOfYear - 1 + hour / 24;
}

/** Builds the parameters in the names of its authors. */
export function buildUtae(
  scope: Scope,
  options: UtaeOptions,
): (series: Tensor5D, positions: Tensor2D, context: ForwardContext) => UtaeResult {
  const { bandCount, encoderWidths, decoderWidths, outWidths, aggregation, padValue } = options;
  const blockOptions = (norm: UtaeBlockOptions['norm']): UtaeBlockOptions => ({
    ...{ norm, normGroups: options.normGroups, padding: options.paddingMode },
  });
  const [encoding, decoding] = [blockOptions(options.encoderNorm), blockOptions(options.decoderNorm)];
  const { kernelSize, stride, padding } = options;
  const window = { kernelSize, stride, padding };
  const first = convolutions(
    scope.child('in_conv').child('conv'),
    [bandCount, encoderWidths[0]!, encoderWidths[0]!],
    encoding,
  );
  const down = encoderWidths
    .slice(1)
    .map((width, level) =>
      downBlock(scope.child('down_blocks').child(level), encoderWidths[level]!, width, window, encoding),
    );
  const up = encoderWidths.slice(1).map((_, step) => {
    const level = encoderWidths.length - 1 - step;
    return upBlock(
      scope.child('up_blocks').child(step),
      {
        inChannels: decoderWidths[level]!,
        outChannels: decoderWidths[level - 1]!,
        skipChannels: encoderWidths[level - 1]!,
      },
      window,
      decoding,
    );
  });
  const attend = ltae(scope.child('temporal_encoder'), {
    ...{ inChannels: encoderWidths.at(-1)!, heads: options.heads, keyWidth: options.keyWidth },
    ...{ modelWidth: options.modelWidth, widths: [encoderWidths.at(-1)!], period: options.positionPeriod },
  });
  const out =
    outWidths.length > 0
      ? convolutions(scope.child('out_conv').child('conv'), [decoderWidths[0]!, ...outWidths], {
          ...decoding,
          norm: 'batch',
        })
      : undefined;

  return (series, positions, context) => {
    const isDate = datesThatCount(series, padValue);
    const levels: Tensor5D[] = [];
    for (const layer of [first, ...down])
      levels.push(eachDate(layer, levels.at(-1) ?? series, isDate, padValue, context));
    const padMask = tf.sub(1, isDate) as Tensor2D;
    const { map, attention } = attend({ x: levels.at(-1)!, positions, padMask }, context);
    const maps = [map];
    for (const [step, block] of up.entries()) {
      const skip = aggregate(aggregation, levels.at(-2 - step)!, attention, isDate);
      maps.unshift(block(maps[0]!, skip, context));
      context.observe?.(`up.${step}`, maps[0]!, 'channels-last');
    }
    if (out) maps.unshift(out(maps[0]!, context));
    return { maps, attention };
  };
}

/** 0 where every pixel of a date is padding, else 1: [batch, time]. */
function datesThatCount(series: Tensor5D, padValue: number | null): Tensor2D {
  const [batch, dates] = series.shape;
  if (padValue === null) return tf.ones([batch, dates]);
  const differs = tf.any(tf.notEqual(tf.reshape(series, [batch, dates, -1]), padValue), 2);
  return tf.cast(differs, 'float32') as Tensor2D;
}

/** A layer over each date by itself; the maps of padding stay at its value. */
function eachDate(
  layer: Layer,
  series: Tensor5D,
  isDate: Tensor2D,
  padValue: number | null,
  context: ForwardContext,
): Tensor5D {
  const [batch, dates, height, width, channels] = series.shape;
  const y = layer(tf.reshape(series, [batch * dates, height, width, channels]), context);
  const [, rows, columns, outChannels] = y.shape;
  const maps = tf.reshape(y, [batch, dates, rows, columns, outChannels]) as Tensor5D;
  if (padValue === null) return maps;
  const counts = tf.reshape(isDate, [batch, dates, 1, 1, 1]);
  return tf.add(tf.mul(maps, counts), tf.mul(tf.sub(1, counts), padValue)) as Tensor5D;
}
