import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * Fields of the World: field, its boundary, the rest, 256 × 256 px; Sentinel-2 of planting and of harvest.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-ftw.json
 */
export const ftw = defineTortilla('gb2-ftw', {
  target: ({ rows }, io) =>
    maskOf(rowNamed(rows, 'semantic_3class_mask'), io, {
      instances: rows.find(({ id }) => id === 'instance_mask'),
    }),
});
