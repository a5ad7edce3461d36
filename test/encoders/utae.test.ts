import { afterEach, describe, expect, it } from 'vitest';
import type { EncoderInput } from '../../src/encoders/encoder.js';
import { aggregate } from '../../src/encoders/utae/aggregate.js';
import { utae } from '../../src/encoders/utae.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor2D, type Tensor5D } from '../../src/engine/tf.js';
import { smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const small = {
  ...{ bandCount: 2, encoderWidths: [8, 8], decoderWidths: [4, 8], normGroups: 2 },
  ...{ heads: 2, modelWidth: 8, keyWidth: 2 },
};
const days = [10, 40, 70];

/** Two series of three dates, the last of the second one padding. */
const batch = (): EncoderInput & { images: { optical: Tensor5D } } => {
  const values = tf.randomNormal([2, 3, 8, 12, 2], 1, 1, 'float32', 5);
  const mask = tf.reshape(tf.tensor1d([1, 1, 1, 1, 1, 0]), [2, 3, 1, 1, 1]);
  return {
    images: { optical: tf.mul(values, mask) as Tensor5D },
    times: [0, 1].map(() => days.map((dayOfYear) => ({ year: 2019, dayOfYear }))),
  };
};

describe('U-TAE', () => {
  it.each(['attention-by-group', 'attention-mean', 'mean'])(
    'gives its maps finest first, by %s',
    (aggregation) => {
      const { encoder } = smallEncoder(utae, { ...small, aggregation, outWidths: [6, 3] });
      tf.tidy(() => {
        const maps = encoder.forward(batch(), evaluation);
        expect(maps.map(({ shape }) => shape)).toEqual([
          [2, 8, 12, 3],
          [2, 8, 12, 4],
          [2, 4, 6, 8],
        ]);
        expect(encoder.features.map(({ channels, stride }) => [channels, stride])).toEqual([
          [3, 1],
          [4, 1],
          [8, 2],
        ]);
      });
    },
  );

  it('counts days from the reference date over the turn of the year', () => {
    const { encoder } = smallEncoder(utae, { ...small, referenceDate: '2018-12-31' });
    const { encoder: other } = smallEncoder(utae, { ...small, referenceDate: '2019-01-10' });
    const run = (one: typeof encoder, shift: number): number[] =>
      tf.tidy(() => {
        const input = batch();
        const times = input.times!.map((ofSample) =>
          ofSample.map(({ year, dayOfYear }) => ({ year, dayOfYear: dayOfYear + shift })),
        );
        return [...one.forward({ ...input, times }, evaluation)[0]!.dataSync()];
      });
    expect(run(other, 10)).toEqual(run(encoder, 0));
    expect(run(other, 0)).not.toEqual(run(encoder, 0));
  });

  it('asks for the dates', () => {
    const { encoder } = smallEncoder(utae, small);
    const run = (): void => tf.tidy(() => void encoder.forward({ images: batch().images }, evaluation));
    expect(run).toThrow(expect.objectContaining({ code: 'INPUT_MISSING', where: 'times' }));
  });

  it('tells images that cannot be halved and doubled again', () => {
    const { encoder } = smallEncoder(utae, small);
    const run = (): void =>
      tf.tidy(() => {
        const images = { optical: tf.zeros([2, 3, 8, 11, 2]) as Tensor5D };
        encoder.forward({ ...batch(), images }, evaluation);
      });
    expect(run).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH', hint: expect.stringContaining('multiples of 2') }),
    );
  });

  it('reads files of the panoptic model, with its last convolutions or without', () => {
    const { rename, discard } = utae.weights(small);
    expect('encoder.in_conv.conv.conv.0.weight'.replace(...rename[0]!)).toBe('in_conv.conv.conv.0.weight');
    expect(discard.some((rule) => rule.test('utae.out_conv.conv.conv.0.weight'))).toBe(true);
    const whole = utae.weights({ ...small, outWidths: [4, 2] });
    expect(whole.discard.some((rule) => rule.test('utae.out_conv.conv.conv.0.weight'))).toBe(false);
  });
});

describe('aggregate', () => {
  /** Two dates of 2 × 2 pixels and two channels; attention of one pixel and two heads, channel c of head c. */
  const inputs = (isDate: number[]): [Tensor5D, Tensor5D, Tensor2D] => [
    tf.tensor5d([1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60, 7, 70, 8, 80], [1, 2, 2, 2, 2]),
    tf.tensor5d([0.25, 0.75, 0.5, 0.5], [1, 1, 1, 2, 2]),
    tf.tensor2d(isDate, [1, 2]),
  ];
  const firstPixel = (mode: Parameters<typeof aggregate>[0], isDate = [1, 1]): number[] =>
    tf.tidy(() => [
      ...aggregate(mode, ...inputs(isDate))
        .dataSync()
        .slice(0, 2),
    ]);

  it('weighs the channels of each head by its attention', () => {
    expect(firstPixel('attention-by-group')).toEqual([0.25 * 1 + 0.75 * 5, 0.5 * 10 + 0.5 * 50]);
  });

  it('weighs all channels by the mean attention', () => {
    expect(firstPixel('attention-mean')).toEqual([0.375 * 1 + 0.625 * 5, 0.375 * 10 + 0.625 * 50]);
  });

  it('takes the mean of the dates that are none of padding', () => {
    expect(firstPixel('mean')).toEqual([3, 30]);
    expect(firstPixel('mean', [1, 0])).toEqual([1, 10]);
    expect(firstPixel('attention-by-group', [1, 0])).toEqual([0.25, 5]);
  });
});
