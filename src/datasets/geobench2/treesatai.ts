import { defineTortilla } from './define.js';
import type { SampleImage } from '../sample.js';
import { namedClasses } from './targets.js';

/**
 * TreeSatAI: the genera of trees in an image, several of 15; aerial (stored near infrared first), Sentinel-1 and -2.
 * Released files differ in size and number type of the satellite images: both are taken from the file.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-treesatai.json
 */
export const treesatai = defineTortilla('gb2-treesatai', {
  images: (images, _, io) => {
    const { s1 } = images;
    if (!s1 || io.isOn('radar-wraps')) return images;
    return { ...images, s1: asSigned(s1) };
  },
  /** Every genus present counts, whatever its share of the area. */
  target: ({ columns, where }, io) => namedClasses(columns['species_labels'], io, where),
});

/** Decibels written as unsigned numbers are read as signed ones: 65 530 is −6. Fractions stay lost. */
function asSigned(image: SampleImage): SampleImage {
  return image.data instanceof Uint16Array
    ? { ...image, data: Int16Array.from(image.data), storedType: 'int16' }
    : image;
}
