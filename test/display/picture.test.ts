import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { bundleOf } from '../../src/display/bundle.js';
import { metadataOf } from '../../src/display/mime.js';
import { classColors } from '../../src/display/palette.js';
import { colorPixels, encodePixels, labelPixels, sideBySide } from '../../src/display/picture.js';
import { isRasterLike, summarizeRaster } from '../../src/display/raster.js';

/** Band b of pixel i is (i + 1) · 10^b: bands are told apart, and height ≠ width. */
const raster = (height: number, width: number, bandCount: number) => ({
  data: Float32Array.from({ length: height * width * bandCount }, (_, index) => {
    const pixel = Math.floor(index / bandCount);
    return (pixel + 1) * 10 ** (index % bandCount);
  }),
  height,
  width,
  bandCount,
});

const pixel = (pixels: { data: Uint8Array; width: number }, row: number, column: number): number[] => [
  ...pixels.data.subarray((row * pixels.width + column) * 4, (row * pixels.width + column) * 4 + 4),
];

describe('a picture of a raster', () => {
  it('is a PNG that another reader decodes to the same pixels, with and without transparency', () => {
    const data = Uint8Array.from({ length: 3 * 5 * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 37) % 256));
    const opaque = decode(encodePixels({ data, height: 3, width: 5 }));
    expect([opaque.width, opaque.height, opaque.channels]).toEqual([5, 3, 3]);
    expect([...opaque.data]).toEqual([...data].filter((_, i) => i % 4 !== 3));
    data[7] = 9;
    expect([...decode(encodePixels({ data, height: 3, width: 5 })).data]).toEqual([...data]);
  });

  it('takes bytes as the colours they are, and stretches other numbers from the 2nd to the 98th percentile', () => {
    const bytes = { data: Uint8Array.of(10, 20, 30, 200, 210, 220), height: 1, width: 2, bandCount: 3 };
    const shown = colorPixels(bytes, { maximumSide: 2 });
    expect(pixel(shown, 0, 0)).toEqual([10, 20, 30, 255]);
    // 1 × 2 pixels are repeated 64 times to be seen
    expect([shown.height, shown.width]).toEqual([64, 128]);
    const wide = colorPixels(raster(10, 200, 3));
    const first = pixel(wide, 0, 0);
    expect(first).toEqual([0, 0, 0, 255]);
    expect(pixel(wide, 9, 199)).toEqual([255, 255, 255, 255]);
    // 2000 values from 1 on: the 2nd percentile is value 41, the 98th is value 1960
    expect(pixel(wide, 4, 199)[0]).toBe(Math.round((255 * (1000 - 41)) / (1960 - 41)));
  });

  it('shows hidden pixels as holes: the no-data value, NaN and infinities', () => {
    const data = Float32Array.of(1, -9999.9, 3, Number.NaN, 5, Infinity);
    const shown = colorPixels({ data, height: 1, width: 6, nodata: -9999.9 });
    expect([0, 1, 2, 3, 4, 5].map((column) => pixel(shown, 0, column * 21)[3])).toEqual([
      255, 0, 255, 0, 255, 0,
    ]);
  });

  it('is made of the bands that are asked for, averaged where it is too large', () => {
    const image = { data: new Uint8Array(300 * 600 * 4), height: 300, width: 600, bandCount: 4 };
    for (let i = 0; i < 300 * 600; i++) image.data.set([0, 50, i % 2 ? 100 : 200, 255], i * 4);
    const shown = colorPixels(image, { bands: [3, 2, 1], maximumSide: 100 });
    expect([shown.height, shown.width]).toEqual([50, 100]);
    expect(pixel(shown, 20, 30)).toEqual([255, 150, 50, 255]);
    expect(() => colorPixels(image, { bands: [0, 1, 4] })).toThrow(RangeError);
    expect(() => colorPixels(image, { bands: [0, 1] })).toThrow('one band or of three');
  });

  it('puts labels in colours, the ignored ones as holes, and pictures side by side', () => {
    const [background, crown] = classColors(['background', 'crown']);
    const labels = { data: Int16Array.of(0, 1, -1, 0, 1, 1), height: 2, width: 3 };
    const shown = labelPixels(labels, [background!, crown!], 3);
    const at = (row: number, column: number): number[] => pixel(shown, row * 42, column * 42);
    expect([at(0, 0), at(0, 1), at(0, 2)]).toEqual([
      [...background!, 255],
      [...crown!, 255],
      [0, 0, 0, 0],
    ]);
    const both = sideBySide([shown, shown], 8);
    expect([both.height, both.width]).toEqual([shown.height, 2 * shown.width + 8]);
    expect(pixel(both, 0, shown.width + 8)).toEqual([...background!, 255]);
    expect(pixel(both, 0, shown.width + 3)[3]).toBe(0);
  });
});

describe('a raster as an output', () => {
  it('is known by its members alone', () => {
    expect(isRasterLike(raster(2, 3, 2))).toBe(true);
    expect(isRasterLike({ data: new Uint8Array(12), width: 2, height: 3, channels: 2 })).toBe(true);
    expect(isRasterLike({ data: new Uint8Array(6), width: 2, height: 3 })).toBe(true);
    expect(isRasterLike({ data: new Uint8Array(7), width: 2, height: 3 })).toBe(false);
    expect(isRasterLike({ data: [1, 2], width: 2, height: 1 })).toBe(false);
    expect(isRasterLike({ data: new BigInt64Array(2), width: 2, height: 1 })).toBe(false);
  });

  it('has a thumbnail of stated size and, band by band, least, mean and greatest value and the share without data', async () => {
    const image = { ...raster(2, 3, 2), nodata: 10, epsg: 32633, transform: [10, 0, 0, 0, -10, 0] };
    expect(summarizeRaster(image).bands).toEqual([
      { minimum: 1, mean: 3.5, maximum: 6, hidden: 0 },
      { minimum: 20, mean: 40, maximum: 60, hidden: 1 - 5 / 6 },
    ]);
    const bundle = await bundleOf(image);
    expect(Object.keys(bundle).sort()).toEqual(['image/png', 'text/html', 'text/plain']);
    const text = bundle['text/plain'] as string;
    expect(text).toContain('2 × 3 × 2 (height × width × band), float32');
    expect(text).toContain('EPSG:32633');
    expect(text).toMatch(/\n1\s+20\s+40\.00\s+60\s+16\.67/);
    const png = decode(Buffer.from(bundle['image/png'] as string, 'base64'));
    expect(metadataOf(bundle)).toEqual({ 'image/png': { width: png.width, height: png.height } });
    expect(bundle['text/html']).toContain(`src="data:image/png;base64,`);
  });

  it('counts the labels of a label map', async () => {
    const text = (await bundleOf({ data: Uint8Array.of(0, 0, 2, 0), height: 2, width: 2 }))['text/plain'];
    expect(text).toMatch(/label\s+pixels\s+%\n[─ ]+\n0\s+3\s+75\n2\s+1\s+25$/);
  });

  it('without any data is shown as empty', async () => {
    const bundle = await bundleOf({ data: new Float32Array(4).fill(Number.NaN), height: 2, width: 2 });
    expect(bundle['text/plain']).toMatch(/–\s+–\s+–\s+100/);
  });
});
