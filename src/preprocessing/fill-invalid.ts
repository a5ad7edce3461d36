import { fillInvalid as filled } from '../datasets/image.js';
import type { SampleImage } from '../datasets/sample.js';
import { mapImages, type PreprocessingStep } from './step.js';

export interface FillInvalidOptions {
  /** Default 0: the mean, after a z-score. */
  readonly value?: number;
  /** Whether the mask goes on saying which pixels were measured. Default true. */
  readonly keepsMask?: boolean;
  readonly modalities?: readonly string[];
}

/**
 * Writes a number where the files have none, so that no NaN reaches the model. The last step, as a rule: before a z-score
 * or a resize the number would pass for a measurement.
 */
export function fillInvalid(options: FillInvalidOptions = {}): PreprocessingStep {
  const { value = 0, keepsMask = true, modalities } = options;
  return {
    name: 'fill-invalid',
    options: { value, keepsMask, modalities: modalities ?? null },
    isRandom: false,
    apply: (sample) =>
      mapImages(sample, modalities, (image): SampleImage => {
        const { filledBands } = image;
        if (!filledBands) return restored(filled(image, value), image, keepsMask);
        // bands that no file has keep their own number
        const data = image.data.slice();
        for (let at = 0; at < data.length; at++) {
          const isFilled = filledBands.includes(image.bands[at % image.bands.length]!);
          if (image.valid?.[at] === 0 && !isFilled) data[at] = value;
        }
        return restored({ ...image, data, valid: null }, image, keepsMask);
      }),
  };
}

const restored = (image: SampleImage, { valid }: SampleImage, keepsMask: boolean): SampleImage =>
  keepsMask ? { ...image, valid } : image;
