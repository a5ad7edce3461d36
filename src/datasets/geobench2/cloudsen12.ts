import { defineTortilla } from './define.js';
import { missingRow } from './container.js';
import { maskOf } from './targets.js';

/**
 * CloudSEN12: clear, thick cloud, thin cloud, cloud shadow, 512 × 512 px; Sentinel-2 L2A.
 * Bands, splits, known faults: data-manifests/datasets/gb2-cloudsen12.json
 */
export const cloudsen12 = defineTortilla('gb2-cloudsen12', {
  /** By place, as the reference reads them: the image, then the mask. The image may have more bands behind the twelve. */
  rowsOf: () => (_, rows) => rows.slice(0, 1),
  target: ({ rows, where }, io) => {
    const mask = rows[1];
    if (!mask) throw missingRow('second row with the mask', rows, where);
    return maskOf(mask, io);
  },
});
