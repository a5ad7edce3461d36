import type { SampleImage } from '../sample.js';

/**
 * The image without the pixels where `counts`, [time, height, width], is 0, in all their bands. Fewer steps than the image
 * has leave its last ones as they are.
 */
export function maskPixels(image: SampleImage, counts: ArrayLike<number>): SampleImage {
  const bandCount = image.bands.length;
  const valid = image.valid?.slice() ?? new Uint8Array(image.data.length).fill(1);
  for (let pixel = 0; pixel < Math.min(counts.length, valid.length / bandCount); pixel++)
    if (counts[pixel] === 0) valid.fill(0, pixel * bandCount, (pixel + 1) * bandCount);
  return { ...image, valid: valid.includes(0) ? valid : null };
}
