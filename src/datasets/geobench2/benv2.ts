import { defineTortilla } from './define.js';
import { namedClasses } from './targets.js';

/**
 * BEN V2: land cover, several of 19 classes an image; Sentinel-1 (VH before VV) and Sentinel-2, 120 × 120 px.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-benv2.json
 */
export const benv2 = defineTortilla('gb2-benv2', {
  /** Both sensors lie on one grid of 10 m; the file gives s2 the pixel of its coarsest band. */
  images: (images, _, io) => {
    const { s1, s2 } = images;
    if (!s1 || !s2 || io.isOn('s2-pixel-size')) return images;
    return { ...images, s2: { ...s2, transform: s1.transform } };
  },
  target: ({ columns, where }, io) => namedClasses(columns['labels'], io, where),
});
