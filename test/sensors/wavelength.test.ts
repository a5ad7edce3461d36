import { describe, expect, it } from 'vitest';
import { requireNm, wavelengthNm } from '../../src/sensors/wavelength.js';

const fault = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const hinting = (text: string): object => ({
  code: 'WAVELENGTH_INVALID',
  hint: expect.stringContaining(text) as string,
});

describe('a wavelength with a unit', () => {
  it('has its unit named', () => {
    expect(wavelengthNm({ nm: 665 })).toBe(665);
    expect(wavelengthNm({ um: 1.61 })).toBeCloseTo(1610, 9); // 1.61 is no binary fraction
    for (const wrong of [665, null, { mm: 1 }, { nm: 665, um: 0.665 }, { nm: '665' }, {}])
      expect(fault(() => wavelengthNm(wrong))).toMatchObject({ code: 'WAVELENGTH_INVALID' });
  });

  it('is no frequency, whether it says so or not', () => {
    // c / 5.405 GHz = 5.5466 cm
    for (const frequency of [{ ghz: 5.405 }, { MHz: 5405 }, { Hz: 5.405e9 }])
      expect(fault(() => wavelengthNm(frequency))).toMatchObject(hinting('it is 5.547 cm'));
    expect(fault(() => wavelengthNm({ um: 5.405 }))).toMatchObject(hinting('C-band'));
  });

  it('in the wrong unit is an error that names the right one', () => {
    expect(fault(() => wavelengthNm({ nm: 0.665 }))).toMatchObject(hinting('Is it in micrometres'));
    expect(fault(() => wavelengthNm({ um: 665 }))).toMatchObject(hinting('Is it in nanometres'));
  });
});

describe('a number that is nanometres', () => {
  it('belongs to an optical band or to radar', () => {
    for (const nm of [200, 490, 3750, 12_000, 55_465_765])
      expect(fault(() => requireNm(nm, 'wavelengths'))).toBeUndefined();
  });

  it('is none between these, and neither micrometres nor a frequency', () => {
    // 5405 MHz, 5.405e9 Hz
    for (const value of [NaN, -490, 0, Infinity, 5405, 50_000, 5.405e9])
      expect(fault(() => requireNm(value, 'wavelengths.sar[1]'))).toMatchObject({
        code: 'WAVELENGTH_INVALID',
        where: 'wavelengths.sar[1]',
      });
    expect(fault(() => requireNm(0.49, ''))).toMatchObject(hinting('0.49 µm would be 490'));
    expect(fault(() => requireNm(5.405, ''))).toMatchObject(hinting('5.405 GHz would be 55465765'));
  });
});
