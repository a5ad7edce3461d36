import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * NASA Burn Scars: HLS Burn Scars with a split of its own, 512 × 512 px, six bands.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-burn-scars.json
 */
export const burnScars = defineTortilla('gb2-burn-scars', {
  parts: { optical: 'image' },
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'label'), io),
});
