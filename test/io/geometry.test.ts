import { describe, expect, it } from 'vitest';
import { parseGeoJson } from '../../src/io/geojson.js';
import { polygonsOf } from '../../src/io/geometry.js';
import { parseWkb } from '../../src/io/wkb.js';

const doubles = (isLittle: boolean, ...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(8 * numbers.length);
  numbers.forEach((number, at) =>
    isLittle ? bytes.writeDoubleLE(number, at * 8) : bytes.writeDoubleBE(number, at * 8),
  );
  return bytes;
};
const head = (isLittle: boolean, kind: number, ...counts: number[]): Buffer => {
  const bytes = Buffer.alloc(5 + 4 * counts.length);
  bytes[0] = Number(isLittle);
  [kind, ...counts].forEach((number, at) =>
    isLittle ? bytes.writeUInt32LE(number, 1 + 4 * at) : bytes.writeUInt32BE(number, 1 + 4 * at),
  );
  return bytes;
};
const ring = [0, 0, 2, 0, 2, 1, 0, 0];

describe('binary geometries', () => {
  it.each([true, false])('give polygons (little-endian: %s)', (isLittle) => {
    const polygon = Buffer.concat([head(isLittle, 3, 1, 4), doubles(isLittle, ...ring)]);
    const found = parseWkb(polygon, 'row 1');
    expect(found).toEqual({
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [2, 0],
          [2, 1],
          [0, 0],
        ],
      ],
    });
    expect(parseWkb(Buffer.concat([head(isLittle, 6, 1), polygon]), 'row 1')).toEqual({
      type: 'MultiPolygon',
      coordinates: polygonsOf(found),
    });
  });

  it.each([
    ['ISO', 1001],
    ['PostGIS', 0x8000_0001],
  ])('know heights as %s writes them', (_, kind) => {
    expect(parseWkb(Buffer.concat([head(true, kind), doubles(true, 1, 2, 3)]), 'x')).toEqual({
      type: 'Point',
      coordinates: [1, 2, 3],
    });
  });

  it('skip the number of a CRS', () => {
    expect(parseWkb(Buffer.concat([head(true, 0x2000_0001, 4326), doubles(true, 1, 2)]), 'x')).toEqual({
      type: 'Point',
      coordinates: [1, 2],
    });
  });

  it.each([
    ['a claim of many points', head(true, 2, 2 ** 31), 'TRUNCATED'],
    ['a claim of many rings', head(true, 3, 2 ** 31), 'TRUNCATED'],
    ['an unknown kind', head(true, 99), 'BAD_HEADER'],
    ['bytes that are left over', Buffer.concat([head(true, 1), doubles(true, 1, 2, 3)]), 'BAD_HEADER'],
    [
      'a part of the wrong kind',
      Buffer.concat([head(true, 6, 1), head(true, 1), doubles(true, 1, 2)]),
      'BAD_HEADER',
    ],
    [
      'collections nested without end',
      Buffer.concat(Array.from({ length: 40 }, () => head(true, 7, 1))),
      'BAD_HEADER',
    ],
  ])('refuse %s', (_, bytes, code) => {
    expect(() => parseWkb(bytes, 'row 1')).toThrowError(expect.objectContaining({ code, where: 'row 1' }));
  });
});

describe('GeoJSON', () => {
  const feature = {
    type: 'Feature',
    id: 7,
    geometry: { type: 'Point', coordinates: [1, 2] },
    properties: { name: 'a' },
  };
  const parse = (value: unknown): ReturnType<typeof parseGeoJson> =>
    parseGeoJson(Buffer.from(JSON.stringify(value)), 'a.geojson');

  it('gives features with their places and properties', () => {
    const collection = {
      type: 'FeatureCollection',
      features: [feature, { ...feature, geometry: null }],
      crs: { type: 'name', properties: { name: 'EPSG:32633' } },
    };
    expect(parse(collection)).toMatchObject({
      crs: 'EPSG:32633',
      features: [{ id: 7, properties: { name: 'a' } }, { geometry: null }],
    });
    expect(parse(feature.geometry).features[0]).toEqual({
      id: null,
      geometry: feature.geometry,
      properties: {},
    });
  });

  it.each([
    ['coordinates of another depth', { type: 'Polygon', coordinates: [[0, 0]] }],
    ['coordinates that are no numbers', { type: 'Point', coordinates: ['1', 2] }],
    ['an unknown kind', { type: 'Circle', coordinates: [1, 2] }],
  ])('refuses %s, and says in which feature', (_, geometry) => {
    expect(() =>
      parse({ type: 'FeatureCollection', features: [feature, { ...feature, geometry }] }),
    ).toThrowError(expect.objectContaining({ code: 'BAD_HEADER', where: 'a.geojson » features[1]' }));
  });

  it('says what came in its place', () => {
    expect(() => parseGeoJson(Buffer.from('<html>'), 'a.geojson')).toThrowError(
      expect.objectContaining({ code: 'NOT_JSON', message: expect.stringContaining('HTML') }),
    );
  });
});
