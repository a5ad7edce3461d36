import { describe, expect, it } from 'vitest';
import { parseWktPolygons } from '../../src/datasets/wkt-polygons.js';

const parse = (text: string) => parseWktPolygons(text, 'labels.json');

describe('parseWktPolygons', () => {
  it('reads an outline with its holes', () => {
    expect(parse('POLYGON ((0 0, 4.5 0, 4.5 -3e1, 0 0), (1 1, 2 1, 2 2, 1 1))')).toEqual([
      { exterior: [0, 0, 4.5, 0, 4.5, -30, 0, 0], holes: [[1, 1, 2, 1, 2, 2, 1, 1]] },
    ]);
  });

  it('reads several polygons, small letters, heights and an SRID', () => {
    expect(
      parse('SRID=4326;multipolygon z (((0 0 7, 1 0 7, 1 1 7, 0 0 7)), ((5 5 1,6 5 1,6 6 1,5 5 1)))'),
    ).toEqual([
      { exterior: [0, 0, 1, 0, 1, 1, 0, 0], holes: [] },
      { exterior: [5, 5, 6, 5, 6, 6, 5, 5], holes: [] },
    ]);
  });

  it('reads an empty one as none', () => {
    expect(parse('POLYGON EMPTY')).toEqual([]);
  });

  it.each([
    ['LINESTRING (0 0, 1 1)', 'no polygon'],
    ['', 'no polygon'],
    ['POLYGON ((0 0, 1 x, 1 1, 0 0))', '"1 x" is no point'],
    ['POLYGON ((0 0, 1, 1 1))', '"1" is no point'],
    ['POLYGON ((0 0, 1 1, ))', '"" is no point'],
    ['POLYGON ((0 0, 1 1)', '")" is missing'],
    ['POLYGON 0 0, 1 1', '"(" is missing'],
    ['POLYGON ((0 0, 1 1)) x', 'something follows'],
  ])('refuses %j', (text, reason) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'WKT_MALFORMED',
        where: 'labels.json',
        message: expect.stringContaining(reason) as string,
      }) as Error,
    );
  });
});
