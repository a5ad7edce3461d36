import { InputError } from '../errors.js';

/** A wavelength in a unit that is named: `{ nm: 665 }` or `{ um: 0.665 }`. */
export type Wavelength = { readonly nm: number } | { readonly um: number };

/** Ultraviolet to thermal infrared: what optical sensors measure, nanometres. */
const OPTICAL: readonly [number, number] = [200, 20_000];
/** Between the windows of the atmosphere no sensor sees the ground: a number here is another quantity. */
const OPAQUE: readonly [number, number] = [5100, 7500];
/** From 1 mm up it is radar, which optical sensors do not reach. */
export const RADAR_NM = 1e6;
/** P band ends near 1 m: larger numbers are frequencies in Hz. */
const LONGEST_NM = 1e9;
/** Speed of light: nanometres × gigahertz. */
const NM_GHZ = 299_792_458;

/**
 * Nanometres of an optical wavelength whose unit is named.
 * @throws InputError WAVELENGTH_INVALID for a bare number, a frequency, or a number that is impossible in its unit
 */
export function wavelengthNm(given: unknown): number {
  if (typeof given !== 'object' || given === null)
    throw invalid(`${JSON.stringify(given)} has no unit.`, 'Write { nm: 665 } or { um: 0.665 }.');
  const entries = Object.entries(given as Readonly<Record<string, unknown>>);
  const [unit, value] = entries[0] ?? [];
  if (entries.length !== 1 || typeof value !== 'number' || !(value > 0))
    throw invalid(`${JSON.stringify(given)} is no wavelength.`, 'Write { nm: 665 } or { um: 0.665 }.');
  if (unit === 'nm' || unit === 'um') {
    const nm = unit === 'nm' ? value : value * 1000;
    if (isOptical(nm)) return nm;
    throw invalid(`${value} ${unit} is the wavelength of no optical band.`, otherUnit(unit, value));
  }
  const gigahertz = { ghz: value, hz: value / 1e9, mhz: value / 1e3 }[unit!.toLowerCase()];
  if (gigahertz === undefined)
    throw invalid(`"${unit}" is no unit of wavelength here.`, 'Units are nm and um (micrometres).');
  const centimetres = NM_GHZ / gigahertz / 1e7;
  throw invalid(
    `${value} ${unit} is a frequency.`,
    `As a wavelength it is ${centimetres.toPrecision(4)} cm. Radar bands are matched by name, not by wavelength.`,
  );
}

/**
 * For numbers that are nanometres by their name: of an optical band, or of radar from `RADAR_NM` on.
 * @param where what holds the number
 * @throws InputError WAVELENGTH_INVALID
 */
export function requireNm(value: number, where: string): void {
  if (isOptical(value) || (value >= RADAR_NM && value <= LONGEST_NM)) return;
  const isSmall = value >= 0.1 && value < OPTICAL[0];
  throw invalid(
    `${value} is no wavelength in nanometres.`,
    isSmall
      ? `Wavelengths are nanometres. ${value} µm would be ${value * 1000}; a frequency of ${value} GHz would be ${Math.round(NM_GHZ / value)}.`
      : 'Wavelengths are nanometres: 490 for blue, 55465765 for C-band radar.',
    where,
  );
}

const isOptical = (nm: number): boolean =>
  nm >= OPTICAL[0] && nm <= OPTICAL[1] && !(nm > OPAQUE[0] && nm < OPAQUE[1]);

function otherUnit(unit: 'nm' | 'um', value: number): string {
  const nm = unit === 'nm' ? value * 1000 : value; // were it the other unit
  if (nm >= OPTICAL[0] && nm <= OPTICAL[1])
    return `Is it in ${unit === 'nm' ? 'micrometres: { um: … }' : 'nanometres: { nm: … }'}?`;
  const range = `Optical bands lie between ${OPTICAL[0]} nm and ${OPTICAL[1] / 1000} µm.`;
  const gigahertz = unit === 'um' ? value : value / 1000; // 5.405 GHz taken for micrometres
  const isOpaque = gigahertz > OPAQUE[0] / 1000 && gigahertz < OPAQUE[1] / 1000;
  return isOpaque ? `${range} 5.4 is the frequency of C-band radar in GHz.` : range;
}

const invalid = (message: string, hint: string, where?: string): InputError =>
  new InputError('WAVELENGTH_INVALID', message, { hint, ...(where !== undefined && { where }) });
