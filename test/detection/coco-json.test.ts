import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  parseCocoJson,
  readCocoJson,
  writeCocoJson,
  writeCocoResults,
} from '../../src/detection/coco-json.js';
import { detectionsGeoJson } from '../../src/detection/detections-geojson.js';
import { maskArea, runLengthMask } from '../../src/metrics/coco/run-length-mask.js';

const images = [
  { id: 7, file_name: 'a.tif', height: 6, width: 8 },
  { id: 3, file_name: 'empty.tif', height: 5, width: 4 },
];
const categories = [
  { id: 20, name: 'tern' },
  { id: 4, name: 'egret' },
];
const annotation = { id: 1, image_id: 7, category_id: 20, bbox: [1, 2, 3, 3], iscrowd: 0 };

const parse = (...annotations: readonly object[]) =>
  parseCocoJson(new TextEncoder().encode(JSON.stringify({ images, categories, annotations })), 'birds.json');
const changed = (change: object) => () => parse({ ...annotation, ...change });

describe('COCO annotations', () => {
  it('give classes places by their ids and keep images without objects', () => {
    const { classes, images: read } = parse(annotation, { ...annotation, id: 2, category_id: 4, iscrowd: 1 });
    expect(classes.map(({ name }) => name)).toEqual(['egret', 'tern']);
    expect(read.map(({ objects }) => objects.length)).toEqual([2, 0]);
    expect(read[0]!.objects.map(({ label, isCrowd }) => [label, isCrowd])).toEqual([
      [2, false],
      [1, true],
    ]);
  });

  it('are cut at the edges of the image', () => {
    const { images: read } = parse({ ...annotation, bbox: [-2, 3, 30, 20] });
    expect(read[0]!.objects[0]!.box).toEqual([0, 3, 8, 3]);
  });

  it('have outlines, run lengths or their text as masks', () => {
    const outline = [[1, 2, 4, 2, 4, 5, 1, 5]];
    const runs = { size: [6, 8], counts: [8, 3, 3, 3, 3, 3, 25] };
    for (const segmentation of [outline, runs]) {
      const [first] = parse({ ...annotation, segmentation }).images;
      expect(maskArea(first!.objects[0]!.mask!)).toBe(9);
    }
  });

  it.each([
    ['a box without area', { bbox: [1, 2, 0, 3] }, 'BOX_INVALID'],
    ['a box outside the image', { bbox: [8, 2, 3, 3] }, 'BOX_INVALID'],
    ['a class that is not listed', { category_id: 5 }, 'CLASS_UNKNOWN'],
    ['an image that is not listed', { image_id: 70 }, 'IMAGE_UNKNOWN'],
    ['a mask of another size', { segmentation: { size: [8, 6], counts: [48] } }, 'MASK_SIZE'],
    [
      'a mask that does not fill its image',
      { segmentation: { size: [6, 8], counts: [40, 3] } },
      'MASK_INVALID',
    ],
    ['broken run lengths', { segmentation: { size: [6, 8], counts: 'P' } }, 'MASK_INVALID'],
    ['an outline of two places', { segmentation: [[1, 2, 3, 4]] }, 'MASK_INVALID'],
    ['an outline far away', { segmentation: [[1, 2, 1e9, 2, 1, 5]] }, 'MASK_INVALID'],
  ])('with %s are refused by name', (_, change, code) => {
    expect(changed(change)).toThrow(
      expect.objectContaining({ code, where: 'birds.json » annotation 1' }) as Error,
    );
  });

  it('have no mask where their list of outlines is empty', () => {
    const [first] = parse({ ...annotation, segmentation: [] }).images;
    expect(first!.objects).toEqual([{ id: 1, label: 2, box: [1, 2, 3, 3], isCrowd: false }]);
  });

  it('of another form name the place in the file, where there is one', () => {
    const refused = (where: string) => expect.objectContaining({ code: 'BAD_HEADER', where }) as Error;
    expect(changed({ image_id: 'a' })).toThrow(refused('birds.json » annotations.0.image_id'));
    expect(() => parseCocoJson(new TextEncoder().encode('[1]'), 'x.json')).toThrow(refused('x.json'));
  });

  it('are not written with a label that is none of the classes', async () => {
    const { classes } = parse();
    const detected = [{ label: 3, score: 0.5, box: [1, 2, 3, 4] as const }];
    await expect(writeCocoResults([{ id: 7, detected }], classes, 'no.json')).rejects.toMatchObject({
      code: 'CLASS_OUT_OF_RANGE',
    });
  });

  it('with an id twice, or of another form, are refused', () => {
    expect(() => parse(annotation, annotation)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_ID' }) as Error,
    );
    expect(changed({ bbox: [1, 2, 3] })).toThrow(expect.objectContaining({ code: 'BAD_HEADER' }) as Error);
    expect(() => parseCocoJson(new TextEncoder().encode('{'), 'x.json')).toThrow(
      expect.objectContaining({ code: 'NOT_JSON' }) as Error,
    );
  });

  it('are the same after they were written', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'coco-'));
    try {
      const file = path.join(folder, 'annotations.json');
      const dataset = parse({ ...annotation, area: 8, segmentation: [[1, 2, 4, 2, 4, 5, 1, 5]] });
      await writeCocoJson(dataset, file);
      expect(readCocoJson(file)).toEqual(dataset);
      const detected = [{ label: 1, score: 0.5, box: [1, 2, 3, 4] as const }];
      await writeCocoResults([{ id: 7, detected }], dataset.classes, file);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
        { image_id: 7, category_id: 4, bbox: [1, 2, 3, 4], score: 0.5 },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('detections as GeoJSON', () => {
  const place = { transform: [10, 0, 500_000, 0, -10, 4_000_000] as const, file: 'a.tif' };
  const detected = [{ label: 2, score: 0.75, box: [3, 5, 2, 4] as const }];

  it("lie in the raster's coordinate system, against the clock", () => {
    const { crs, features } = detectionsGeoJson(detected, { ...place, crs: 'EPSG:32613' }, () => 'tern');
    expect(crs.properties.name).toBe('urn:ogc:def:crs:EPSG::32613');
    expect(features[0]).toMatchObject({ properties: { label: 2, class: 'tern', score: 0.75 } });
    expect(features[0]!.geometry.coordinates[0]).toEqual([
      [500_030, 3_999_950],
      [500_030, 3_999_910],
      [500_050, 3_999_910],
      [500_050, 3_999_950],
      [500_030, 3_999_950],
    ]);
  });

  it('are polygons with holes where they have masks, and several of them where a mask has parts', () => {
    const drawn = ['####..', '#..#.#', '####..'].join('');
    const mask = runLengthMask(
      Uint8Array.from(drawn, (letter) => (letter === '#' ? 1 : 0)),
      3,
      6,
    );
    const detection = { label: 1, score: 0.5, box: [0, 0, 6, 3] as const };
    const flat = { transform: [1, 0, 0, 0, -1, 0] as const, crs: 'EPSG:32613', file: 'a.tif' };
    const geometryOf = (of: object) =>
      detectionsGeoJson([{ ...detection, ...of }], flat).features[0]!.geometry;
    expect(geometryOf({ mask })).toEqual({
      type: 'MultiPolygon',
      coordinates: [
        [
          // the outline against the clock, the hole with it
          [
            [0, -3],
            [4, -3],
            [4, 0],
            [0, 0],
            [0, -3],
          ],
          [
            [1, -1],
            [3, -1],
            [3, -2],
            [1, -2],
            [1, -1],
          ],
        ],
        [
          [
            [5, -2],
            [6, -2],
            [6, -1],
            [5, -1],
            [5, -2],
          ],
        ],
      ],
    });
    const part = runLengthMask(Uint8Array.of(1, 1), 1, 2);
    expect(geometryOf({ mask: { row: 7, column: 20, mask: part } })).toMatchObject({
      type: 'Polygon',
      coordinates: [
        [
          [20, -8],
          [22, -8],
          [22, -7],
          [20, -7],
          [20, -8],
        ],
      ],
    });
  });

  it('need a raster that has a place', () => {
    expect(() => detectionsGeoJson(detected, { ...place, crs: null })).toThrow(
      expect.objectContaining({ code: 'GEOREFERENCE_MISSING' }) as Error,
    );
  });
});
