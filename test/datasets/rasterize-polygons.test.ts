import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rasterizePolygons, type Polygon } from '../../src/datasets/rasterize-polygons.js';

interface Case {
  readonly height: number;
  readonly width: number;
  readonly polygons: readonly (Polygon & { readonly label: number })[];
  /** Pixels of OpenCV, base64. */
  readonly mask: string;
}

const cases = JSON.parse(
  readFileSync(new URL('../fixtures/polygons/polygons.json', import.meta.url), 'utf8'),
) as Case[];

const draw = ({ polygons, height, width }: Pick<Case, 'polygons' | 'height' | 'width'>) =>
  rasterizePolygons(
    polygons.map(({ label, ...polygon }) => ({ polygon, label })),
    { height, width },
  );

describe('rasterizePolygons', () => {
  it('chooses every pixel as cv2.fillPoly does: outlines, holes, overlaps, corners outside the image', () => {
    expect(cases).toHaveLength(240);
    for (const [number, { mask, ...given }] of cases.entries()) {
      const { data } = draw(given);
      expect(Buffer.from(data).toString('base64'), `case ${number}`).toBe(mask);
    }
  });

  it('draws the outline of a rectangle too, so that it is one pixel wider than its sides are long', () => {
    const exterior = [1, 1, 4, 1, 4, 3, 1, 3, 1, 1];
    const { data } = draw({ height: 5, width: 6, polygons: [{ exterior, holes: [], label: 2 }] });
    expect([...data]).toEqual(
      [
        [0, 0, 0, 0, 0, 0],
        [0, 2, 2, 2, 2, 0],
        [0, 2, 2, 2, 2, 0],
        [0, 2, 2, 2, 2, 0],
        [0, 0, 0, 0, 0, 0],
      ].flat(),
    );
  });

  it('draws nothing of a polygon without corners', () => {
    const { data } = draw({ height: 2, width: 2, polygons: [{ exterior: [], holes: [], label: 1 }] });
    expect([...data]).toEqual([0, 0, 0, 0]);
  });

  it('needs time in proportion to the size of the polygons, not of the image', () => {
    const square = (x: number, y: number): Polygon & { label: number } => ({
      exterior: [x, y, x + 9, y, x + 9, y + 9, x, y + 9, x, y],
      holes: [],
      label: 1,
    });
    const polygons = Array.from({ length: 4000 }, (_, i) => square((i % 60) * 16, (i % 61) * 16));
    const start = performance.now();
    draw({ height: 1024, width: 1024, polygons });
    // 4000 scans of the whole image take more than 4 s; 1 s leaves room for a busy machine
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
