import { describe, expect, it } from 'vitest';
import { otherSize, pixelWidthM } from '../../src/studies/raster-place.js';

const size = { height: 60, width: 100 };

describe('the width of a pixel on the ground', () => {
  it('is that of the grid where the coordinates are metres on the ground', async () => {
    for (const crs of ['EPSG:32613', 'EPSG:26913', 'EPSG:2193']) {
      const [x, y] = crs === 'EPSG:2193' ? [1_700_000, 5_700_000] : [480_000, 4_400_000];
      const widthM = await pixelWidthM({ ...size, crs, transform: [0.3, 0, x, 0, -0.3, y] });
      expect(Math.abs(widthM! / 0.3 - 1)).toBeLessThan(1e-3); // the projection's own scale, 0.9996 in its middle
    }
  });

  it('is half as much at 60° in the metres of web maps, and so it is in degrees', async () => {
    const web = await pixelWidthM({ ...size, crs: 'EPSG:3857', transform: [10, 0, 1e6, 0, -10, 8_399_738] });
    expect(Math.abs(web! - 5)).toBeLessThan(0.05); // the sphere of web maps, 60 pixels of latitude
    const degrees = await pixelWidthM({ ...size, crs: 'EPSG:4326', transform: [1e-4, 0, 9, 0, -1e-4, 60] });
    expect(Math.abs(degrees! - 1e-4 * 55_802)).toBeLessThan(0.01); // a degree of longitude at 60° is 55 802 m
    // over the antimeridian
    const turned = await pixelWidthM({
      ...size,
      crs: 'EPSG:4326',
      transform: [1e-4, 0, 179.995, 0, -1e-4, 60],
    });
    expect(Math.abs(turned! - degrees!)).toBeLessThan(1e-6);
  });

  it('is that of a row in a grid that is turned', async () => {
    const turned = await pixelWidthM({
      ...size,
      crs: 'EPSG:32613',
      transform: [0, 2, 480_000, 3, 0, 4_400_000],
    });
    expect(Math.abs(turned! / 3 - 1)).toBeLessThan(1e-3);
  });

  it('is not known without a place, or in a system that is not known', async () => {
    const transform = [1, 0, 0, 0, -1, 0] as const;
    expect(await pixelWidthM({ ...size, crs: null, transform })).toBeNull();
    expect(await pixelWidthM({ ...size, crs: 'EPSG:32613', transform: null })).toBeNull();
    expect(await pixelWidthM({ ...size, crs: 'EPSG:1', transform })).toBeNull();
  });

  it('is told where it differs by more than a quarter', () => {
    const dataset = { id: 'crowns', gsdM: 0.1 };
    expect(otherSize(0.12, dataset)).toBeNull();
    expect(otherSize(0.081, dataset)).toBeNull();
    expect(otherSize(null, dataset)).toBeNull();
    expect(otherSize(3, { ...dataset, gsdM: null })).toBeNull();
    expect(otherSize(0.30002, dataset)).toMatch(/^A pixel of the raster is 0\.3 m wide, of crowns 0\.1 m: /);
    expect(otherSize(0.05, dataset)).toContain('0.05 m wide');
  });
});
