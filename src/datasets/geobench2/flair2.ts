import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * FLAIR 2: land cover of French departments, 13 classes (the last takes all rare ones), 512 × 512 px; aerial photographs whose
 * fifth channel is the height above ground.
 * Bands, classes, splits: data-manifests/datasets/gb2-flair2.json
 */
export const flair2 = defineTortilla('gb2-flair2', {
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'mask'), io),
});
