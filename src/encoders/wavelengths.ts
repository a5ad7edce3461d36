import { InputError } from '../errors.js';
import { requireNm } from '../sensors/wavelength.js';
import type { EncoderInput } from './encoder.js';

export interface BandWavelengths {
  readonly modality: string;
  /** One a band, in nanometres. */
  readonly wavelengthsNm: readonly number[];
}

/**
 * Wavelengths of the modalities in a batch, those of the batch before those of the variant, in the order in which
 * these name the modalities.
 * @throws InputError INPUT_MISSING for a modality without wavelengths, WAVELENGTH_INVALID
 */
export function wavelengthsOf(
  { images, wavelengths }: EncoderInput,
  ofVariant: Readonly<Record<string, readonly number[]>> = {},
): BandWavelengths[] {
  const known = { ...ofVariant, ...wavelengths };
  for (const modality of Object.keys(images)) {
    if (Object.hasOwn(known, modality)) continue;
    throw new InputError('INPUT_MISSING', `The wavelengths of the bands of ${modality} are not given.`, {
      where: `wavelengths.${modality}`,
      hint: 'Give the centre wavelength of every band in nanometres.',
    });
  }
  return Object.entries(known)
    .filter(([modality]) => Object.hasOwn(images, modality))
    .map(([modality, wavelengthsNm]) => {
      wavelengthsNm.forEach((value, band) => {
        requireNm(value, `wavelengths.${modality}[${band}]`);
      });
      return { modality, wavelengthsNm };
    });
}
