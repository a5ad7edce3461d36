import type { BandStatistics } from '../../datasets/band-statistics.js';
import type { ExpectedPlace, ExpectedStatistics } from './expected.js';

/** Statistics of the fixtures carry seven digits. */
const RELATIVE = 1e-5;
const ABSOLUTE = 1e-6;

const UNIT_GRID = '1,0,0,0,1,0';

/** Longest text of a value in a line. */
const SHOWN = 120;

/** Collects what differs, one line each. */
export class Differences {
  readonly #lines: string[] = [];

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  /** Everything but statistics is equal exactly: numbers, texts, lists and objects, member by member. */
  exact(name: string, got: unknown, expected: unknown): void {
    if (isEqual(got, expected)) return;
    if (Array.isArray(got) && Array.isArray(expected)) {
      const place = expected.findIndex((value, index) => !isEqual(got[index], value));
      const at = place < 0 ? expected.length : place;
      const lengths = got.length === expected.length ? '' : `, and has ${got.length} of ${expected.length}`;
      this.add(`${name}[${at}] is ${show(got[at])}, not ${show(expected[at])}${lengths}`);
    } else this.add(`${name} is ${show(got)}, not ${show(expected)}`);
  }

  /** What the files say beyond the fixture is no difference: members of objects may be more, lists may not. */
  covers(name: string, got: unknown, expected: unknown): void {
    if (!isObject(expected) || !isObject(got)) this.exact(name, got, expected);
    else for (const [key, value] of Object.entries(expected)) this.covers(`${name} ${key}`, got[key], value);
  }

  /** Counts exactly, the rest within 1e-5 of itself or 1e-6. */
  statistics(name: string, got: BandStatistics, expected: ExpectedStatistics): void {
    this.exact(`${name} NaN count`, got.nanCount, expected.nan ?? 0);
    this.exact(`${name} no-data count`, got.nodataCount, expected.nodata ?? 0);
    for (const key of ['min', 'max', 'mean', 'std'] as const) {
      const [value, wanted] = [got[key], expected[key] ?? null];
      const isNear =
        value !== null &&
        wanted !== null &&
        Math.abs(value - wanted) <= Math.max(ABSOLUTE, RELATIVE * Math.abs(wanted));
      if (!isNear && value !== wanted) this.add(`${name} ${key} is ${value}, not ${wanted}`);
    }
  }

  place(
    name: string,
    got: {
      readonly crs?: string | null | undefined;
      readonly transform?: readonly number[] | null | undefined;
      readonly nodata?: number | null | undefined;
    },
    expected: ExpectedPlace,
  ): void {
    this.exact(`${name} crs`, got.crs ?? null, expected.crs);
    // some readers give a file without a place the unit grid
    const isPlaced = got.transform || expected.crs !== null || expected.transform?.join() !== UNIT_GRID;
    if (isPlaced) this.exact(`${name} transform`, got.transform ?? null, expected.transform);
    if (expected.nodata === undefined) return;
    const nodata = got.nodata ?? null;
    this.exact(`${name} no-data value`, Number.isNaN(nodata) ? 'NaN' : nodata, expected.nodata);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return (
    own.length === Object.keys(b).length &&
    own.every(([key, value]) => Object.hasOwn(other, key) && isEqual(value, other[key]))
  );
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
