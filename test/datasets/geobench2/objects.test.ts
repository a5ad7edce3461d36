import { describe, expect, it } from 'vitest';
import { createDatasetIo, type DatasetIo } from '../../../src/datasets/dataset-io.js';
import { resolveFaults, type Mode } from '../../../src/datasets/faults.js';
import { objectsOf } from '../../../src/datasets/geobench2/object-raster.js';
import { outlined } from '../../../src/datasets/geobench2/substation.js';
import { namedClasses, oneClass, toAnnotations, toObject } from '../../../src/datasets/geobench2/targets.js';
import { readDatasetManifest } from '../../../src/manifests/dataset-manifest.js';

function ioOf(id: string, mode: Mode = 'corrected'): DatasetIo {
  const manifest = readDatasetManifest(id);
  return createDatasetIo({ manifest, root: import.meta.dirname, faults: resolveFaults(manifest, mode) });
}

const error = (code: string, where: string): Error =>
  expect.objectContaining({ code, where }) as unknown as Error;

describe('objectsOf', () => {
  const instances = { data: Int32Array.of(0, 2, 2, 7, 2, 2, 7, 0, 0), height: 3, width: 3 };
  const labels = { data: Int32Array.of(9, 4, 1, 3, 4, 4, 5, 9, 9), height: 3, width: 3 };

  it('takes the class of most pixels and edges behind the last ones; of equals the smaller class', () => {
    expect(objectsOf(instances, labels, { label: 'commonest', areEdgesInclusive: false })).toEqual([
      { id: 2, label: 4, box: [1, 0, 3, 2], area: 4 },
      { id: 7, label: 3, box: [0, 1, 1, 3], area: 2 },
    ]);
  });

  it('or the smallest class and the last pixels, as the reference does', () => {
    expect(objectsOf(instances, labels, { label: 'smallest', areEdgesInclusive: true })).toEqual([
      { id: 2, label: 1, box: [1, 0, 2, 1], area: 4 },
      { id: 7, label: 3, box: [0, 1, 1, 2], area: 2 }, // one pixel wide: a box has an area
    ]);
  });
});

describe('a substation with two outlines', () => {
  const annotation = {
    category_id: 1,
    bbox: [1, 1, 6, 2],
    mask: [
      [1, 1, 3, 1, 3, 3, 1, 3],
      [5, 1, 7, 1, 7, 3, 5, 3],
    ],
  };
  const size = { height: 8, width: 8 };

  it('has both, or the first as the reference draws it', () => {
    const corrected = outlined(annotation, 0, size, 'x', ioOf('gb2-substation'));
    expect(corrected).toMatchObject({ polygons: annotation.mask, area: 18, box: [1, 1, 7, 3] });
    const published = outlined(annotation, 0, size, 'x', ioOf('gb2-substation', 'as-published'));
    expect(published).toMatchObject({ polygons: annotation.mask.slice(0, 1), area: 9 });
  });
});

describe('annotations', () => {
  it.each([
    ['no list', {}],
    ['a box of three numbers', { boxes: [{ category_id: 1, bbox: [1, 2, 3] }] }],
    ['a box of corners', { boxes: [{ category_id: 1, bbox: [1, 2, 3, 4], bbox_mode: 'xyxy' }] }],
    ['no class', { boxes: [{ bbox: [1, 2, 3, 4] }] }],
    ['an outline that ends in an x', { boxes: [{ category_id: 1, bbox: [1, 2, 3, 4], mask: [[1, 2, 3]] }] }],
    ['nothing', null],
  ])('with %s are refused', (_, json) => {
    expect(() => toAnnotations(json, 'boxes', 'x » y')).toThrow(error('ANNOTATION_INVALID', 'x » y'));
  });

  it('of a class that is not there are refused', () => {
    const annotation = { category_id: 2, bbox: [0, 0, 1, 1] };
    expect(() => toObject(annotation, 0, ioOf('gb2-nz-cattle'), 'x')).toThrow(error('LABEL_UNKNOWN', 'x'));
  });
});

describe('classes by name and by number', () => {
  const io = ioOf('gb2-so2sat');

  it('agree, or either stands alone', () => {
    expect(oneClass(16, 'Water', io, 'x')).toEqual({ kind: 'class', label: 16 });
    expect(oneClass(undefined, 'Water', io, 'x').label).toBe(16);
    expect(oneClass(3, undefined, io, 'x').label).toBe(3);
  });

  it.each([
    [16, 'Low plants'],
    [17, undefined],
    [undefined, 'Lava'],
    [undefined, undefined],
    [1.5, undefined],
  ])('are refused as %s and %s', (index, name) => {
    expect(() => oneClass(index, name, io, 'x')).toThrow(error('LABEL_UNKNOWN', 'x'));
  });

  it('come in ascending order where a sample has several', () => {
    const { labels } = namedClasses(['Quercus', 'Abies', 'Quercus'], ioOf('gb2-treesatai'), 'x');
    expect(labels).toEqual([0, 13]);
    expect(() => namedClasses('Quercus', ioOf('gb2-treesatai'), 'x')).toThrow(error('LABEL_UNKNOWN', 'x'));
  });
});

describe('label maps', () => {
  const map = (id: string, stored: number[]): number[] => {
    const grid = { data: Int32Array.from(stored), height: 1, width: stored.length };
    return [...ioOf(id).mapLabels(grid, 'x').labels.data];
  };

  it('follow the rules of their manifests', () => {
    expect(map('gb2-burn-scars', [-1, 0, 1])).toEqual([2, 0, 1]);
    expect(map('gb2-flair2', [1, 13, 19])).toEqual([0, 12, 12]);
    expect(map('gb2-kuro-siwo', [0, 1, 2, 3])).toEqual([1, 2, 3, 0]);
    expect(map('gb2-spacenet7', [0, 1])).toEqual([1, 2]);
    expect(map('gb2-ftw', [0, 2, 3])).toEqual([0, 2, 3]); // 3: unknown, left out of the scores
  });

  it.each([
    ['gb2-flair2', 20],
    ['gb2-kuro-siwo', 4],
    ['gb2-ftw', 4],
    ['gb2-caffe', -1],
  ])('of %s with a value of %s are refused', (id, value) => {
    expect(() => map(id, [value])).toThrow(error('LABEL_UNKNOWN', 'x'));
  });
});
