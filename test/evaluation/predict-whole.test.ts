import { beforeAll, describe, expect, it } from 'vitest';
import type { EncoderSample } from '../../src/encoders/encoder-sample.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { predictWhole, type WholeImageOptions } from '../../src/evaluation/predict-whole.js';
import type { Answer } from '../../src/training/answer.js';
import { encodingSource } from '../../src/training/input-source.js';
import type { TaskModel } from '../../src/training/task-model.js';
import { batchOf } from '../../src/encoders/encoder-batch.js';

beforeAll(() => startEngine());

/** Says of every pixel: the first date of the optical bands, the second one, and the radar, each as a sum of its bands. */
const model = {
  encode: (samples: readonly EncoderSample[]) => {
    const { images } = batchOf(samples, tf);
    const sums = ['optical', 'sar'].map((name) => tf.sum(images[name]!, 4, true));
    const dates = [...tf.split(sums[0]!, 2, 1), sums[1]!].map((map) => tf.squeeze(map, [1]));
    return [tf.concat(dates, 3) as Tensor4D];
  },
  decode: { task: 'segmentation', forward: ([maps]: Tensor4D[]) => maps! },
} as unknown as TaskModel;

/** Numbers that tell date, row, column and band of each modality apart. */
function sampleOf(height: number, width: number): EncoderSample {
  const image = (timeCount: number, bandCount: number, step: number) => ({
    ...{ timeCount, height, width, bands: Array.from({ length: bandCount }, (_, band) => `b${band}`) },
    data: Float32Array.from({ length: timeCount * height * width * bandCount }, (_, at) => at * step),
  });
  return { images: { optical: image(2, 3, 1), sar: image(1, 2, 0.5) } };
}

const optionsOf = (size: number | null, windowStride: number | null = null): WholeImageOptions => ({
  ...{ model, source: encodingSource(model), protocol: { windowStride }, size, mode: 'corrected' },
});

const answerOf = (height: number, width: number): Answer => ({
  ...{ data: new Float32Array(height * width), shape: [height, width], valid: null, scale: 1, shift: 0 },
});

describe('a whole image by windows', () => {
  it.each([
    ['sliding-window', 20, 12, 8, null],
    ['sliding-window', 12, 20, 8, 5],
    ['sliding-window', 6, 20, 8, null], // lower than a window
    ['tiled', 20, 28, 16, 12],
  ] as const)(
    '%s of %i × %i pixels in windows of %i is what the model says of it at once, with all modalities and dates',
    async (how, height, width, size, stride) => {
      const sample = sampleOf(height, width);
      const answer = answerOf(height, width);
      const atOnce = await predictWhole('a', sample, answer, how, optionsOf(null));
      const byWindows = await predictWhole('a', sample, answer, how, optionsOf(size, stride));
      expect(byWindows).toMatchObject({ count: 1, height, width, channelCount: 3 });
      const [optical, sar] = [sample.images['optical']!.data, sample.images['sar']!.data];
      const pixel = 3 * width + 4;
      const second = height * width * 3;
      const sumAt = (data: ArrayLike<number>, start: number, count: number): number =>
        Array.from({ length: count }, (_, band) => data[start + band]!).reduce(
          (sum, value) => sum + value,
          0,
        );
      expect([...atOnce.data.subarray(pixel * 3, pixel * 3 + 3)]).toEqual([
        sumAt(optical, pixel * 3, 3),
        sumAt(optical, second + pixel * 3, 3),
        sumAt(sar, pixel * 2, 2),
      ]);
      for (const [at, value] of atOnce.data.entries())
        expect(Math.abs(byWindows.data[at]! - value)).toBeLessThan(0.01); // of 10,000, float32 sums of weights
    },
  );
});
