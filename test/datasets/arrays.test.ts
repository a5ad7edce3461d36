import { describe, expect, it } from 'vitest';
import { emptySteps, imageOfArray, labelsOfArray, type Axes } from '../../src/datasets/arrays.js';
import type { NpyArray } from '../../src/io/npy.js';

const where = 'series.npy';

/** Element [time, band, row, column] is 1000 · time + 100 · band + 10 · row + column, whatever the order of axes. */
function arrayOf(axes: Axes, sizes: { t?: number; b: number; y: number; x: number }): NpyArray {
  const shape = [...axes].map((axis) => sizes[axis as 't' | 'b' | 'y' | 'x']!);
  const weights: Record<string, number> = { t: 1000, b: 100, y: 10, x: 1 };
  const length = shape.reduce((product, size) => product * size, 1);
  const data = Int16Array.from({ length }, (_, place) => {
    let [rest, value] = [place, 0];
    for (const [axis, size] of [...shape.entries()].reverse()) {
      value += (rest % size) * weights[axes.charAt(axis)]!;
      rest = Math.floor(rest / size);
    }
    return value;
  });
  return { shape, type: 'int16', isBigEndian: false, data };
}

describe('imageOfArray', () => {
  it.each<Axes>(['tbyx', 'byxt'])('brings %s into the order time, height, width, band', (axes) => {
    const array = arrayOf(axes, { t: 2, b: 3, y: 2, x: 4 });
    const image = imageOfArray(array, { axes, bands: ['a', 'b'], where });
    expect(image).toMatchObject({
      timeCount: 2,
      height: 2,
      width: 4,
      bands: ['a', 'b'],
      storedType: 'int16',
      valid: null,
    });
    expect([...image.data]).toEqual(
      [
        [0, 100, 1, 101, 2, 102, 3, 103],
        [10, 110, 11, 111, 12, 112, 13, 113],
        [1000, 1100, 1001, 1101, 1002, 1102, 1003, 1103],
        [1010, 1110, 1011, 1111, 1012, 1112, 1013, 1113],
      ].flat(),
    );
  });

  it('takes time steps in the order wanted', () => {
    const array = arrayOf('byxt', { t: 3, b: 1, y: 1, x: 2 });
    const image = imageOfArray(array, {
      axes: 'byxt',
      bands: ['a'],
      steps: [2, 0],
      dates: ['2020-03', '2020-01'],
      where,
    });
    expect([...image.data]).toEqual([2000, 2001, 0, 1]);
    expect(image.dates).toEqual(['2020-03', '2020-01']);
  });

  it('masks NaN and stated values', () => {
    const array: NpyArray = {
      shape: [1, 1, 3],
      type: 'float16',
      isBigEndian: false,
      data: Float32Array.of(1, NaN, -9999),
    };
    const image = imageOfArray(array, { axes: 'byx', bands: ['a'], invalidValues: [-9999], where });
    expect(image.storedType).toBe('float16');
    expect([...image.valid!]).toEqual([1, 0, 0]);
  });

  it.each([
    [arrayOf('byx', { b: 2, y: 2, x: 2 }), 'tbyx', '[time, 2 or more bands, height, width]'],
    [arrayOf('byx', { b: 1, y: 2, x: 2 }), 'byx', '[2 or more bands, height, width]'],
  ] as const)('names the axes that an array of other shape lacks', (array, axes, wanted) => {
    expect(() => imageOfArray(array, { axes, bands: ['a', 'b'], where })).toThrow(
      expect.objectContaining({
        code: 'ARRAY_SHAPE',
        where,
        message: expect.stringContaining(wanted) as string,
      }) as Error,
    );
  });
});

describe('labelsOfArray', () => {
  const planes: NpyArray = {
    shape: [2, 1, 3],
    type: 'int64',
    isBigEndian: false,
    data: BigInt64Array.of(1n, 2n, -1n, 7n, 8n, 9n),
  };

  it('reads one plane of several', () => {
    expect(labelsOfArray(planes, where, 1)).toEqual({ data: Int32Array.of(7, 8, 9), height: 1, width: 3 });
  });

  it('refuses other axes and fractions', () => {
    expect(() => labelsOfArray(planes, where)).toThrow(
      expect.objectContaining({ code: 'ARRAY_SHAPE' }) as Error,
    );
    expect(() => labelsOfArray(planes, where, 2)).toThrow(
      expect.objectContaining({ code: 'ARRAY_SHAPE' }) as Error,
    );
    const fractions: NpyArray = {
      shape: [1, 2],
      type: 'float32',
      isBigEndian: false,
      data: Float32Array.of(1, 1.5),
    };
    expect(() => labelsOfArray(fractions, where)).toThrow(
      expect.objectContaining({ code: 'LABEL_UNREADABLE' }) as Error,
    );
  });
});

describe('emptySteps', () => {
  const like = imageOfArray(arrayOf('byx', { b: 1, y: 1, x: 2 }), { axes: 'byx', bands: ['a'], where });

  it('masks its zeros, or lets them pass for values', () => {
    expect(emptySteps(like, 2, false)).toMatchObject({
      timeCount: 2,
      dates: [null, null],
      data: new Int16Array(4),
      valid: new Uint8Array(4),
    });
    expect(emptySteps(like, 1, true).valid).toBeNull();
  });
});
