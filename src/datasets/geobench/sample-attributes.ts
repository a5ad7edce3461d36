import { readPrintedPickle } from '../../io/pickle-attribute.js';
import type { PickleValue } from '../../io/pickle.js';
import type { Affine } from '../sample.js';
import { affineOf, attribute, crsOf, dateOf, members, numberOf, numbersIn, textsIn } from './pickled.js';

/** What a sample's file says about one of its arrays. */
export interface ArrayRecord {
  readonly date: string | null;
  readonly crs: string | null;
  readonly transform: Affine | null;
  /** Ground sampling distance as stored. */
  readonly gsdM: number | null;
  /** Plain values that the converter noted, such as `is_composite`. */
  readonly meta: Readonly<Record<string, number | string | boolean>> | null;
}

/** What the attribute `pickle` of a sample's file says. */
export interface SampleAttributes {
  /** Keys of the arrays in logical order; null: the file is of an early build that lacks it. */
  readonly order: readonly string[] | null;
  /** Class index, or 0 and 1 for each class; null where the target is an array of the file. */
  readonly label: number | readonly number[] | null;
  readonly arrays: ReadonlyMap<string, ArrayRecord>;
}

/**
 * @param text of the attribute: Python's printed bytes of a pickle
 * @throws InputError CORRUPT_DATA, UNSAFE, PICKLE_MALFORMED, PICKLE_UNSUPPORTED
 */
export function readSampleAttributes(text: string, where: string): SampleAttributes {
  const unpickled = readPrintedPickle(text, where);
  const values = members(unpickled, 'attributes of a sample', where);
  const label = values.get('label');
  const isRecord = numberOf(label) === undefined && numbersIn(label) === undefined;
  const arrays = new Map<string, ArrayRecord>();
  for (const [key, record] of values) {
    if (typeof key !== 'string' || key === 'bands_order' || (key === 'label' && !isRecord)) continue;
    arrays.set(key, readRecord(record));
  }
  return {
    order: textsIn(values.get('bands_order')) ?? null,
    label: numberOf(label) ?? numbersIn(label) ?? null,
    arrays,
  };
}

function readRecord(record: PickleValue): ArrayRecord {
  return {
    date: dateOf(attribute(record, 'date')),
    crs: crsOf(attribute(record, 'crs')),
    transform: affineOf(attribute(record, 'transform')),
    gsdM: numberOf(attribute(record, 'spatial_resolution')) ?? null,
    meta: plainValues(attribute(record, 'meta_info')),
  };
}

function plainValues(value: PickleValue | undefined): ArrayRecord['meta'] {
  if (!(value instanceof Map)) return null;
  const plain = [...value].flatMap(([key, item]): [string, number | string | boolean][] => {
    const isPlain = typeof item === 'string' || typeof item === 'boolean' || typeof item === 'number';
    return typeof key === 'string' && isPlain ? [[key, item]] : [];
  });
  return Object.fromEntries(plain);
}
