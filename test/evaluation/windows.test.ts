import { describe, expect, it } from 'vitest';
import { imageBatch, type ImageBatch, type PredictionBatch } from '../../src/evaluation/prediction-grid.js';
import { slideWindows, windowStarts } from '../../src/evaluation/slide-windows.js';
import { blendMask, tiledInference } from '../../src/evaluation/tiled-inference.js';
import { ramp } from '../preprocessing/sample.js';

/** The first band of the first date, as it is. */
const echo = ({ data, count, height, width, timeCount, bandCount }: ImageBatch): PredictionBatch => ({
  data: Float32Array.from({ length: count * height * width }, (_, at) => {
    const [image, pixel] = [Math.floor(at / (height * width)), at % (height * width)];
    return data[(image * timeCount * height * width + pixel) * bandCount]!;
  }),
  count,
  height,
  width,
  channelCount: 1,
});
const batch = (height: number, width: number): ImageBatch =>
  imageBatch([ramp(height, width), ramp(height, width)]);
const close = (got: Float32Array, expected: Float32Array): void => {
  for (const [at, value] of expected.entries()) expect(Math.abs(got[at]! - value)).toBeLessThan(1e-3); // of 2000, float32
};

describe('windows', () => {
  it('start evenly spread, from the first place to the last', () => {
    expect(windowStarts(512, 224)).toEqual([0, 144, 288]);
    expect(windowStarts(520, 192)).toEqual([0, 164, 328]);
    expect(windowStarts(256, 256)).toEqual([0]);
    expect(windowStarts(9, 4)).toEqual([0, 2, 5]); // 2.5 to the even number
    expect(windowStarts(20, 8, 6)).toEqual([0, 6, 12]);
    expect(() => windowStarts(100, 224)).toThrowError('does not fit');
  });

  it('give back what is the same everywhere they overlap, in groups of any size', async () => {
    for (const [height, width] of [
      [20, 20],
      [12, 28],
      [28, 12],
    ] as const) {
      const images = batch(height, width);
      for (const batchSize of [null, 1, 5]) {
        const merged = await slideWindows(images, echo, { size: 8, batchSize });
        expect([merged.count, merged.height, merged.width]).toEqual([2, height, width]);
        close(merged.data, images.data);
      }
    }
  });

  it('as published are right for square grids alone', async () => {
    const options = { size: 8, mode: 'as-published' } as const;
    const square = await slideWindows(batch(20, 20), echo, options);
    close(square.data, batch(20, 20).data);
    const wide = await slideWindows(batch(12, 28), echo, options);
    expect([...wide.data]).not.toEqual([...batch(12, 28).data]);
    await expect(slideWindows(batch(28, 12), echo, options)).rejects.toMatchObject({ code: 'WINDOW_INDEX' });
  });

  it('refuse predictions of another size', async () => {
    const half = (images: ImageBatch): PredictionBatch => ({ ...echo(images), height: 4, width: 4 });
    await expect(slideWindows(batch(8, 8), half, { size: 8 })).rejects.toMatchObject({
      code: 'PREDICTION_SIZE',
    });
  });
});

describe('tiles', () => {
  it('give back what is the same everywhere they overlap', async () => {
    const images = batch(45, 52);
    for (const options of [
      { crop: 16, stride: 12, delta: 2 },
      { crop: 16, stride: 12, delta: 2, padding: false },
      { crop: 16, stride: 10, delta: 2, isBlended: false },
      { crop: { height: 12, width: 20 }, stride: { height: 8, width: 14 }, delta: 1, padding: 'constant' },
      { crop: 16, stride: 16, delta: 3, isAveraged: false, padding: false },
      { crop: { height: 100, width: 20 }, stride: { height: 90, width: 14 }, delta: 2 },
    ] as const) {
      const merged = await tiledInference(images, echo, options);
      expect([merged.height, merged.width]).toEqual([45, 52]);
      close(merged.data, images.data);
    }
  });

  it('are one where the image fits into it', async () => {
    let calls = 0;
    const counting = (images: ImageBatch): PredictionBatch => {
      calls++;
      expect(images.height).toBe(9);
      return echo(images);
    };
    await tiledInference(batch(9, 10), counting);
    expect(calls).toBe(1);
  });

  it('count less towards their edges', () => {
    const { data, height, width } = blendMask({ height: 6, width: 4 }, { height: 4, width: 4 }, 0);
    expect([height, width]).toEqual([6, 4]);
    // ramps of two: cos(π / 3) / 2 + 0.5 = 0.75, cos(2 π / 3) / 2 + 0.5 = 0.25
    const column = Array.from({ length: 6 }, (_, row) => data[row * 4]!);
    for (const [at, weight] of [0.25, 0.75, 1, 1, 0.75, 0.25].entries())
      expect(column[at]).toBeCloseTo(weight + 1e-6, 6);
  });

  it('may leave no gaps', async () => {
    await expect(tiledInference(batch(40, 40), echo, { crop: 8, stride: 9 })).rejects.toMatchObject({
      code: 'STEP_OPTION',
    });
  });
});

describe('a batch of images', () => {
  it('has images of one size', () => {
    expect(() => imageBatch([ramp(2, 2), ramp(2, 3)])).toThrowError('Image 1 of the batch is [1, 2, 3, 1]');
    expect(() => imageBatch([])).toThrowError('A batch needs an image.');
  });
});
