import { unsupported } from '../format-error.js';
import type { Filter } from './library.js';

export const [DEFLATE, SHUFFLE, FLETCHER] = [1, 2, 3];
/** h5py's quick filter. The library lacks it and would hand out what stands in its memory; it is undone here. */
export const LZF = 32_000;

/** Filters that the library has. */
const BUILT_IN = new Set([DEFLATE, SHUFFLE, FLETCHER, 5, 6]);
/** Filters that are undone here. */
export const OWN = new Set([DEFLATE, SHUFFLE, FLETCHER, LZF]);

const NAMES: ReadonlyMap<number, string> = new Map([
  [DEFLATE, 'deflate'],
  [SHUFFLE, 'shuffle'],
  [FLETCHER, 'fletcher32'],
  [4, 'SZIP'],
  [5, 'nbit'],
  [6, 'scale-offset'],
  [307, 'bzip2'],
  [LZF, 'LZF'],
  [32_001, 'Blosc'],
  [32_004, 'LZ4'],
  [32_008, 'bitshuffle'],
  [32_013, 'ZFP'],
  [32_015, 'Zstandard'],
  [32_026, 'Blosc2'],
]);

export const filterName = ({ id, name }: Filter): string => NAMES.get(id) ?? (name || `number ${id}`);

/** @throws InputError UNSUPPORTED, naming the filter */
export function refuseUnknownFilters(filters: readonly Filter[], where: string): void {
  const known = filters.some(({ id }) => id === LZF) ? OWN : BUILT_IN;
  const unknown = filters.find(({ id }) => !known.has(id));
  if (!unknown) return;
  throw unsupported(
    where,
    `The dataset is packed with the filter ${filterName(unknown)}, which is not read${known === OWN ? ' together with LZF' : ''}.`,
    'Pack it again with gzip: h5repack -f GZIP=4 IN OUT.',
  );
}
