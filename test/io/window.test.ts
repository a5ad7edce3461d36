import { describe, expect, it } from 'vitest';
import { coveringWindows, cropLabels, cropRaster, gridWindows } from '../../src/io/window.js';

describe('grid windows', () => {
  it('lie side by side and leave out what does not fill one', () => {
    const windows = gridWindows(5, 7, 2);
    expect(windows).toHaveLength(6);
    expect(windows.at(-1)).toEqual({ row: 2, column: 4, height: 2, width: 2 });
  });

  it('are none for an image smaller than one', () => {
    expect(gridWindows(3, 10, 4)).toEqual([]);
  });
});

describe('covering windows', () => {
  // length, size, count, starts: numbers of the sliding-window cases of the benchmark's evaluator
  it.each([
    [512, 224, [0, 144, 288]],
    [240, 224, [0, 16]],
    [256, 256, [0]],
    [100, 224, [0]],
  ])('start evenly from border to border: %i pixels by windows of %i', (length, size, starts) => {
    expect(coveringWindows(length, 1, size, size).map(({ row }) => row)).toEqual(starts);
  });

  it.each([
    [507, 2472, 224, 224],
    [400, 400, 224, 112],
    [1035, 1249, 224, 224],
    [225, 1000, 224, 64],
  ])('reach every pixel of %i × %i', (height, width, size, stride) => {
    const seen = new Uint8Array(height * width);
    for (const window of coveringWindows(height, width, size, stride)) {
      expect(window.row + window.height).toBeLessThanOrEqual(height);
      expect(window.column + window.width).toBeLessThanOrEqual(width);
      for (let row = window.row; row < window.row + window.height; row++) {
        seen.fill(1, row * width + window.column, row * width + window.column + window.width);
      }
    }
    expect(seen.indexOf(0)).toBe(-1);
  });
});

describe('crops', () => {
  const data = Uint16Array.from({ length: 3 * 4 * 2 }, (_, i) => i);
  it('copy the pixels of all bands, and keep the type', () => {
    const crop = cropRaster(
      { data, height: 3, width: 4, bandCount: 2 },
      { row: 1, column: 2, height: 2, width: 2 },
    );
    expect(crop.data).toEqual(Uint16Array.from([12, 13, 14, 15, 20, 21, 22, 23]));
    expect([crop.height, crop.width, crop.bandCount]).toEqual([2, 2, 2]);
    crop.data[0] = 999;
    expect(data[12]).toBe(12);
  });

  it('of labels have one value a pixel', () => {
    const labels = { data: Uint8Array.from({ length: 12 }, (_, i) => i), height: 3, width: 4 };
    expect([...cropLabels(labels, { row: 0, column: 3, height: 3, width: 1 }).data]).toEqual([3, 7, 11]);
  });
});
