import { InputError } from '../errors.js';
import { pickBands } from './match-bands.js';
import { mapImages, requireImage, type PreprocessingStep } from './step.js';

export interface SarAsRgbOptions {
  /** Modality with the radar bands. Default: the first that has VV and VH. */
  readonly modality?: string;
  /** Bands that take the places of red, green, blue. Default VV, VH, VV. */
  readonly bands?: readonly [string, string, string];
}

/**
 * Radar bands in the places of red, green, blue (GEO-Bench-2, section 3.4). Normalise first, by the numbers of VV and VH.
 * @throws when applied InputError BANDS_MISSING, UsageError MODALITY_UNKNOWN
 */
export function sarAsRgb(options: SarAsRgbOptions = {}): PreprocessingStep {
  const { bands: wanted = ['VV', 'VH', 'VV'] } = options;
  return {
    name: 'sar-as-rgb',
    options: { modality: options.modality ?? null, bands: wanted },
    isRandom: false,
    apply(sample, { dataset }) {
      const has = (name: string): boolean =>
        wanted.every((band) => requireImage(sample, name).bands.includes(band));
      const modality = options.modality ?? Object.keys(sample.images).find(has);
      if (modality === undefined || !has(modality)) {
        throw new InputError(
          'BANDS_MISSING',
          `No modality has the radar bands ${[...new Set(wanted)].join(' and ')}.`,
          {
            where: `dataset ${dataset}, sample ${sample.id}`,
            hint: 'Name the bands of your radar images: sarAsRgb({ bands: ["HH", "HV", "HH"] }).',
          },
        );
      }
      return mapImages(sample, [modality], (image) =>
        pickBands(
          image,
          ['red', 'green', 'blue'].map((name, at) => ({
            name,
            from: image.bands.indexOf(wanted[at]!),
            fill: 0,
          })),
        ),
      );
    },
  };
}
