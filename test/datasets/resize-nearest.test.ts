import { describe, expect, it } from 'vitest';
import { sampleImage } from '../../src/datasets/image.js';
import { resizeImageNearest, resizeNearest } from '../../src/datasets/resize-nearest.js';

describe('resizeNearest', () => {
  it('takes the pixel under the centre, as GDAL does: 1023 columns become 1024 with the middle one twice', () => {
    const row = Uint16Array.from({ length: 1023 }, (_, column) => column);
    const resized = resizeNearest(row, { height: 1, width: 1023 }, { height: 1, width: 1024 });
    // rasterio 1.3.11: read(out_shape=(1, 1, 1024)) of the same row
    expect([...resized.subarray(0, 3)]).toEqual([0, 1, 2]);
    expect([...resized.subarray(510, 514)]).toEqual([510, 511, 511, 512]);
    expect([...resized.subarray(-2)]).toEqual([1021, 1022]);
  });

  it('keeps bands together, enlarges and shrinks', () => {
    const pixels = Uint8Array.of(1, 10, 2, 20, 3, 30);
    const wide = resizeNearest(pixels, { height: 1, width: 3, bandCount: 2 }, { height: 2, width: 6 });
    expect([...wide.subarray(0, 12)]).toEqual([1, 10, 1, 10, 2, 20, 2, 20, 3, 30, 3, 30]);
    expect([...wide.subarray(12)]).toEqual([...wide.subarray(0, 12)]);
    const narrow = resizeNearest(pixels, { height: 1, width: 3, bandCount: 2 }, { height: 1, width: 1 });
    expect([...narrow]).toEqual([2, 20]);
  });

  it('resizes the mask with the image, and its place on the Earth', () => {
    const image = sampleImage({
      data: Float32Array.of(1, NaN),
      height: 1,
      width: 2,
      bands: ['a'],
      transform: [10, 0, 500, 0, -10, 800],
    });
    const { valid, transform } = resizeImageNearest(image, { height: 1, width: 4 });
    expect([...valid!]).toEqual([1, 1, 0, 0]);
    expect(transform).toEqual([5, 0, 500, 0, -10, 800]);
  });
});
