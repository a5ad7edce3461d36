import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * SpaceNet 2: buildings in four cities, 512 × 512 px; eight bands of WorldView-3 and its panchromatic one.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-spacenet2.json
 */
export const spacenet2 = defineTortilla('gb2-spacenet2', {
  parts: { worldview: 'ps-ms' },
  target: ({ rows }, io) =>
    maskOf(rowNamed(rows, 'semantic_mask'), io, {
      instances: rows.find(({ id }) => id === 'instance_mask'),
    }),
});
