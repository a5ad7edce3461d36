import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { oneClass } from './targets.js';

/**
 * So2Sat: 17 local climate zones, 32 × 32 px; Sentinel-1 (real parts, VH before VV) and Sentinel-2.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-so2sat.json
 */
export const so2sat = defineTortilla('gb2-so2sat', {
  /** The row of an image has the index of the class, that of the sample its name. */
  target: ({ columns, rows, where }, io) =>
    oneClass(rowNamed(rows, 's2').columns['labels'], columns['labels'], io, where),
});
