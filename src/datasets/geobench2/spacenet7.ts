import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * SpaceNet 7: buildings, 512 × 512 px; Planet in red, green, blue, and an alpha channel.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-spacenet7.json
 */
export const spacenet7 = defineTortilla('gb2-spacenet7', {
  parts: { optical: 'images' },
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'mask'), io),
});
