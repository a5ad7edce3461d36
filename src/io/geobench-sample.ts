import { badHeader, placeIn, unsafe } from './format-error.js';
import { Hdf5File } from './hdf5/hdf5-file.js';
import { plainNumbers, type NumericArray } from './numeric-array.js';
import { readPickleAttribute } from './pickle-attribute.js';
import { entry, NumpyArray, PickleObject, PickleTuple, type PickleValue } from './pickle.js';

/** One band of a sample, named as the file names it, right or wrong. */
export interface GeoBenchBand {
  /** Name of the HDF5 dataset; with a date behind it in time series: `02 - Blue_2019-07-01`. */
  readonly key: string;
  /** Without the date. */
  readonly name: string;
  /** `YYYY-MM-DD`. */
  readonly date: string | null;
  /** [height, width], in m-NeonTree also [height, width, channel]; bands of one sample may differ in size. */
  readonly array: NumericArray;
  /** x = a · column + b · row + c; y = d · column + e · row + f: [a, b, c, d, e, f]. */
  readonly transform: readonly [number, number, number, number, number, number] | null;
  /** `EPSG:n`, else the text of the file (WKT). */
  readonly crs: string | null;
  /** In metres, as the file says. */
  readonly gsdM: number | null;
}

export interface GeoBenchSample {
  /** In the order that the sample's `bands_order` states, else by name. */
  readonly bands: readonly GeoBenchBand[];
  /** A label map, a class, or the marks of a multi-label sample. */
  readonly label: GeoBenchBand | number | readonly number[] | null;
  /** All that the sample's pickle says, as inert values. */
  readonly attributes: PickleValue;
}

export interface GeoBenchOptions {
  /** Reads only these bands, by key or by name without the date; the label map is always read. */
  readonly bands?: readonly string[];
}

/**
 * A sample of GEO-Bench: one HDF5 dataset a band, and a pickle in the root attribute `pickle`, which is read as
 * data.
 * @throws InputError what `Hdf5File` throws; BAD_HEADER (a faulty list of bands), UNSAFE (the pickle names functions that run
 *   code), PICKLE_MALFORMED
 */
export async function readGeoBenchSample(
  file: string,
  options: GeoBenchOptions = {},
): Promise<GeoBenchSample> {
  const opened = await Hdf5File.open(file);
  try {
    const where = placeIn(file, '/@pickle');
    const { value: attributes, dangerous } = readPickleAttribute(opened);
    if (dangerous.length > 0)
      throw unsafe(
        where,
        `What the file says about its sample names ${dangerous.join(', ')}, which no sample needs.`,
      );
    // the first files had no list: their order is that of the names
    const order = entry(attributes, 'bands_order') ?? opened.datasetPaths.map((path) => path.slice(1));
    if (!Array.isArray(order) || !order.every((key) => typeof key === 'string'))
      throw badHeader(where, 'The list of bands ("bands_order") holds something that is no name.');
    const isWanted = (key: string): boolean =>
      !options.bands || options.bands.includes(key) || options.bands.includes(splitDate(key).name);
    const read = (key: string): GeoBenchBand => readBand(opened, key, entry(attributes, key));
    const labelKey = order.find(isLabel);
    const bands = order.filter((key) => !isLabel(key) && isWanted(key)).map(read);
    const label = labelKey === undefined ? labelOf(entry(attributes, 'label'), where) : read(labelKey);
    return { bands, label, attributes };
  } finally {
    opened.close();
  }
}

const isLabel = (key: string): boolean => splitDate(key).name === 'label';

/** `02 - Blue_2019-07-01` → name and date. */
function splitDate(key: string): { name: string; date: string | null } {
  const [, name, date] = /^(.*)_(\d{4}-\d{2}-\d{2})$/.exec(key) ?? [];
  return name === undefined ? { name: key, date: null } : { name, date: date! };
}

function readBand(file: Hdf5File, key: string, facts: PickleValue | undefined): GeoBenchBand {
  const { name, date } = splitDate(key);
  const array = file.read(`/${key}`);
  if (array.shape.length !== 2 && array.shape.length !== 3) {
    throw badHeader(
      placeIn(file.where, key),
      `The band has the axes [${array.shape.join(', ')}], which do not begin with height and width.`,
    );
  }
  const gsd = entry(facts, 'spatial_resolution');
  return {
    key,
    name,
    date: date ?? dateOf(entry(facts, 'date')),
    array,
    transform: affineOf(entry(facts, 'transform')),
    crs: crsOf(entry(facts, 'crs')),
    gsdM: typeof gsd === 'number' ? gsd : null,
  };
}

function labelOf(value: PickleValue | undefined, where: string): number | readonly number[] | null {
  const label = value instanceof NumpyArray ? Array.from(value.data as ArrayLike<PickleValue>) : value;
  if (label === undefined || label === null) return null;
  const numbers = (Array.isArray(label) ? label : [label]).map(numberOf);
  if (numbers.some((number) => number === undefined))
    throw badHeader(where, 'The label of the sample is no number.');
  return Array.isArray(label) ? (numbers as number[]) : numbers[0]!;
}

function numberOf(value: PickleValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return plainNumbers(BigInt64Array.of(value), 'label')[0];
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'numpy-scalar'
    ? Number(value.value)
    : undefined;
}

/** `datetime.date` is made of four bytes: year, month, day; `datetime.datetime` begins with them. */
function dateOf(value: PickleValue | undefined): string | null {
  if (!(value instanceof PickleObject) || value.type.module !== 'datetime') return null;
  const [given] = value.args;
  const bytes = typeof given === 'string' ? Buffer.from(given, 'latin1') : given;
  if (!(bytes instanceof Uint8Array) || bytes.length < 4) return null;
  const part = (number: number, digits: number): string => String(number).padStart(digits, '0');
  return `${part(bytes[0]! * 256 + bytes[1]!, 4)}-${part(bytes[2]!, 2)}-${part(bytes[3]!, 2)}`;
}

function affineOf(value: PickleValue | undefined): GeoBenchBand['transform'] {
  if (!(value instanceof PickleObject) || value.type.name !== 'Affine') return null;
  const numbers =
    value.args.length === 1 && value.args[0] instanceof PickleTuple ? value.args[0].items : value.args;
  const six = numbers.slice(0, 6);
  return six.length === 6 && six.every((number) => typeof number === 'number')
    ? (six as unknown as GeoBenchBand['transform'])
    : null;
}

function crsOf(value: PickleValue | undefined): string | null {
  const state = value instanceof PickleObject ? (value.state ?? value.args[0]) : value;
  const text = typeof state === 'string' ? state : (entry(state, 'wkt') ?? entry(state, '_wkt') ?? null);
  if (typeof text !== 'string' || text === '') return null;
  // the authority of the whole is the last one in the text
  const code = /(?:AUTHORITY\["EPSG",\s*"?|ID\["EPSG",\s*)(\d+)"?\]\s*\]\s*$/.exec(text)?.[1];
  return code === undefined ? text : `EPSG:${code}`;
}
