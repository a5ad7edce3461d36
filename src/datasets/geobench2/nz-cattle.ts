import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { readAnnotation } from './row-readers.js';
import { toAnnotations, toObject } from './targets.js';

/**
 * Cattle in New Zealand as boxes, 500 × 500 px, aerial; images without any occur.
 * Splits, known faults: data-manifests/datasets/gb2-nz-cattle.json
 */
export const nzCattle = defineTortilla('gb2-nz-cattle', {
  parts: { optical: 'image' },
  target: async ({ rows }, io) => {
    const row = rowNamed(rows, 'annotations');
    const boxes = toAnnotations(await readAnnotation(row), 'boxes', row.where);
    return { kind: 'boxes', objects: boxes.map((box, index) => toObject(box, index, io, row.where)) };
  },
});
