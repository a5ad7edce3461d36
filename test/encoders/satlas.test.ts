import { afterEach, describe, expect, it } from 'vitest';
import type { BuildContext } from '../../src/encoders/encoder.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { satlas } from '../../src/encoders/satlas.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor5D } from '../../src/engine/tf.js';
import { smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const small = { bandCount: 2, width: 8, depths: [1, 1], heads: [2, 2], windowSize: 4 };
const only = (fault: string): BuildContext => ({ isFaultOn: (id) => id === fault });

/** Weights are drawn by name, so that every build has the same. */
const firstMap = (series: Tensor5D, context: BuildContext): Float32Array => {
  const { encoder } = smallEncoder(satlas, { ...small, multiImage: true }, context);
  return encoder.forward({ images: { optical: series } }, evaluation)[0]!.dataSync<'float32'>();
};

const series = (dates: number): Tensor5D =>
  tf.randomNormal([2, dates, 16, 24, 2], 0, 1, 'float32', 3) as Tensor5D;

const largestDifference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((largest, value, index) => Math.max(largest, Math.abs(value - b[index]!)), 0);

describe('SatlasPretrain', () => {
  it('gives the largest value of any date', () => {
    tf.tidy(() => {
      const all = series(3);
      const alone = [0, 1, 2].map((date) =>
        firstMap(tf.slice(all, [0, date, 0, 0, 0], [2, 1, 16, 24, 2]), CORRECTED),
      );
      const largest = alone[0]!.map((value, index) => Math.max(value, alone[1]![index]!, alone[2]![index]!));
      // batches of another size are multiplied in another order
      expect(largestDifference(firstMap(all, CORRECTED), largest)).toBeLessThan(1e-5);
    });
  });

  it('mixes bands and dates only as published', () => {
    const fault = only('satlas/mixed-dates');
    tf.tidy(() => {
      const [one, two] = [series(1), series(2)];
      expect(largestDifference(firstMap(one, CORRECTED), firstMap(one, fault))).toBe(0);
      expect(largestDifference(firstMap(two, CORRECTED), firstMap(two, fault))).toBeGreaterThan(0.01);
      // the planes of two dates of two bands, by the fault: band 0 of both dates, then band 1 of both
      const mixed = tf.transpose(two, [0, 4, 2, 3, 1]);
      expect(largestDifference(firstMap(mixed, CORRECTED), firstMap(two, fault))).toBe(0);
    });
  });

  it('looks past the eighth date, but for the published fault', () => {
    const fault = only('satlas/first-eight-dates');
    tf.tidy(() => {
      const nine = series(9);
      const eight = tf.slice(nine, [0, 0, 0, 0, 0], [2, 8, 16, 24, 2]) as Tensor5D;
      expect(largestDifference(firstMap(nine, fault), firstMap(eight, CORRECTED))).toBeLessThan(1e-5);
      expect(largestDifference(firstMap(nine, CORRECTED), firstMap(eight, CORRECTED))).toBeGreaterThan(0.01);
    });
  });

  it('with a pyramid gives a level at the resolution of the image before the others', () => {
    const { encoder } = smallEncoder(satlas, { ...small, pyramidChannels: 6 });
    expect(encoder.features.map(({ stride }) => stride)).toEqual([1, 4, 8]);
    tf.tidy(() => {
      const image = tf.squeeze(series(1), [1]) as never;
      const shapes = encoder.forward({ images: { optical: image } }, evaluation).map(({ shape }) => shape);
      expect(shapes).toEqual([
        [2, 16, 24, 6],
        [2, 4, 6, 6],
        [2, 2, 3, 6],
      ]);
    });
  });

  it('keeps the finest level random only as published', () => {
    const name = 'intermediates.1.layers.0.0.weight';
    const discards = (context: BuildContext): boolean =>
      satlas.weights({ ...small, pyramidChannels: 6 }, context).discard.some((rule) => rule.test(name));
    expect(discards(CORRECTED)).toBe(false);
    expect(discards(only('satlas/random-upsampling'))).toBe(true);
  });
});
