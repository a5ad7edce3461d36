import { InputError } from '../errors.js';
import type { EncoderInput } from './encoder.js';

/** Shortest wavelength that a number is taken for: 0.49 (µm) and 5.405 (GHz) lie below, ultraviolet above. */
const SHORTEST_NM = 100;
/** From 1 mm up it is radar, which optical sensors do not reach. */
export const RADAR_NM = 1e6;

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
        checkWavelength(value, `wavelengths.${modality}[${band}]`);
      });
      return { modality, wavelengthsNm };
    });
}

/** @throws InputError WAVELENGTH_INVALID */
function checkWavelength(value: number, where: string): void {
  if (Number.isFinite(value) && value >= SHORTEST_NM) return;
  const isMicrometres = value >= 0.1 && value < SHORTEST_NM;
  throw new InputError('WAVELENGTH_INVALID', `${value} is no wavelength in nanometres.`, {
    where,
    hint: isMicrometres
      ? `Wavelengths are nanometres. ${value} µm would be ${value * 1000}; a frequency of ${value} GHz would be ${Math.round(299_792_458 / value)}.`
      : 'Wavelengths are nanometres: 490 for blue, 55465765 for C-band radar.',
  });
}
