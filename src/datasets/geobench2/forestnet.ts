import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import type { SampleImage } from '../sample.js';
import { oneClass } from './targets.js';

/**
 * ForestNet: 12 causes of forest loss, 332 × 332 px; six bands of Landsat 8.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-forestnet.json
 */
export const forestnet = defineTortilla('gb2-forestnet', {
  parts: { optical: 'image' },
  images: (images, _, io) => {
    const { optical } = images;
    return !optical || io.isOn('transposed') ? images : { ...images, optical: transposed(optical) };
  },
  target: ({ columns, rows, where }, io) =>
    oneClass(rowNamed(rows, 'image').columns['labels'], columns['labels'], io, where),
});

/** Rows and columns exchanged; the transform, which was right all along, stays. */
function transposed(image: SampleImage): SampleImage {
  const { data, height, width, timeCount } = image;
  const bandCount = image.bands.length;
  const exchange = <T extends SampleImage['data']>(from: T): T => {
    const to = from.slice() as T;
    let at = 0;
    for (let time = 0; time < timeCount; time++)
      for (let column = 0; column < width; column++)
        for (let row = 0; row < height; row++) {
          const pixel = ((time * height + row) * width + column) * bandCount;
          for (let band = 0; band < bandCount; band++) to[at++] = from[pixel + band]!;
        }
    return to;
  };
  const valid = image.valid && exchange(image.valid);
  return { ...image, data: exchange(data), valid, height: width, width: height };
}
