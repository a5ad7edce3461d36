import { describe, expect, it } from 'vitest';
import type { EncoderInput } from '../../src/encoders/encoder.js';
import { wavelengthsOf } from '../../src/encoders/wavelengths.js';

/** Only the names of the images are looked at. */
const batch = (wavelengths: EncoderInput['wavelengths'], ...names: string[]): EncoderInput => ({
  images: Object.fromEntries(names.map((name) => [name, null as never])),
  ...(wavelengths && { wavelengths }),
});

describe('wavelengths of a batch', () => {
  it('come before those of the variant, in the order that names the modalities', () => {
    const ofVariant = { sar: [3750, 3750], optical: [490] };
    expect(wavelengthsOf(batch({ optical: [560, 665] }, 'optical', 'sar'), ofVariant)).toEqual([
      { modality: 'sar', wavelengthsNm: [3750, 3750] },
      { modality: 'optical', wavelengthsNm: [560, 665] },
    ]);
    expect(wavelengthsOf(batch(undefined, 'optical'), ofVariant)).toEqual([
      { modality: 'optical', wavelengthsNm: [490] },
    ]);
  });

  it('are nanometres: micrometres and gigahertz are refused, with both readings', () => {
    const error = (value: number): unknown => {
      try {
        return wavelengthsOf(batch({ optical: [665, value] }, 'optical'));
      } catch (caught) {
        return caught;
      }
    };
    expect(error(0.49)).toMatchObject({
      code: 'WAVELENGTH_INVALID',
      where: 'wavelengths.optical[1]',
      hint: expect.stringContaining('0.49 µm would be 490'),
    });
    // c / 5.405 GHz = 5.5466 cm
    expect(error(5.405)).toMatchObject({ hint: expect.stringContaining('5.405 GHz would be 55465765') });
    expect(error(55_465_765)).toHaveLength(1);
  });

  it('are needed for every modality', () => {
    expect(() => wavelengthsOf(batch({ optical: [490] }, 'optical', 'sar'))).toThrow(
      expect.objectContaining({ code: 'INPUT_MISSING', where: 'wavelengths.sar' }),
    );
  });
});
