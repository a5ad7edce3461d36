import { UsageError } from '../errors.js';

/** A wavelength in a unit that is named: `{ nm: 665 }` or `{ um: 0.665 }`. */
export type Wavelength = { readonly nm: number } | { readonly um: number };

/** Ultraviolet to thermal infrared: what optical sensors measure, nanometres. */
const OPTICAL: readonly [number, number] = [200, 20_000];
/** Between the windows of the atmosphere no sensor sees the ground: a number here is another quantity. */
const OPAQUE: readonly [number, number] = [5100, 7500];
/** Speed of light, for hints: metres × gigahertz. */
const METRES_GHZ = 0.299792458;

/**
 * Nanometres of a wavelength whose unit is named.
 * @throws UsageError WAVELENGTH_UNIT for a bare number, a frequency, or a number that is impossible in its unit
 */
export function wavelengthNm(given: unknown): number {
  if (typeof given !== 'object' || given === null)
    throw wrong(`${JSON.stringify(given)} has no unit.`, 'Write { nm: 665 } or { um: 0.665 }.');
  const entries = Object.entries(given as Readonly<Record<string, unknown>>);
  const [unit, value] = entries[0] ?? [];
  if (entries.length !== 1 || typeof value !== 'number' || !(value > 0))
    throw wrong(`${JSON.stringify(given)} is no wavelength.`, 'Write { nm: 665 } or { um: 0.665 }.');
  if (unit === 'nm' || unit === 'um') return checked(unit === 'nm' ? value : value * 1000, unit, value);
  const gigahertz = { ghz: value, hz: value / 1e9, mhz: value / 1e3 }[unit!.toLowerCase()];
  if (gigahertz !== undefined) {
    const centimetres = (METRES_GHZ / gigahertz) * 100;
    throw wrong(
      `${value} ${unit} is a frequency.`,
      `As a wavelength it is ${centimetres.toPrecision(4)} cm. Radar bands are matched by name, not by wavelength.`,
    );
  }
  throw wrong(`"${unit}" is no unit of wavelength here.`, 'Units are nm and um (micrometres).');
}

function checked(nm: number, unit: string, value: number): number {
  if (nm >= OPTICAL[0] && nm <= OPTICAL[1] && !(nm > OPAQUE[0] && nm < OPAQUE[1])) return nm;
  const other = unit === 'nm' ? value * 1000 : value; // nanometres, were it the other unit
  const isOther = other >= OPTICAL[0] && other <= OPTICAL[1];
  const frequency = nm > OPAQUE[0] && nm < OPAQUE[1] ? ' 5.4 is the frequency of C-band radar in GHz.' : '';
  throw wrong(
    `${value} ${unit} is the wavelength of no optical band.`,
    isOther
      ? `Is it in ${unit === 'nm' ? 'micrometres: { um: … }' : 'nanometres: { nm: … }'}?`
      : `Optical bands lie between ${OPTICAL[0]} nm and ${OPTICAL[1] / 1000} µm.${frequency}`,
  );
}

const wrong = (message: string, hint: string): UsageError =>
  new UsageError('WAVELENGTH_UNIT', message, { hint });
