import { bytesOfType, elementCount } from '../numeric-array.js';
import { ZarrArray } from '../zarr/zarr-array.js';
import { ZarrFolder } from '../zarr/zarr-folder.js';
import {
  describeNumbers,
  describePart,
  factOf,
  firstParts,
  wantsStatistics,
  type Describer,
  type DescribeOptions,
  type FileDescription,
} from './description.js';

/** A Zarr store: one array, or the arrays of its groups. */
export const describeZarr: Describer = async (folder, options = {}) => {
  const store = new ZarrFolder(folder);
  if (store.isArray('')) return describeArray(ZarrArray.open(store), 'Zarr', options);
  const keys = store.nodes().filter((key) => store.isArray(key));
  if (keys.length === 0) ZarrArray.open(store); // says what is missing
  const { chosen, notes } = firstParts(keys, options, 'arrays');
  const parts: FileDescription[] = [];
  for (const key of chosen) {
    options.signal?.throwIfAborted();
    const describe = (): Promise<FileDescription> =>
      describeArray(ZarrArray.open(store, key), 'array', options);
    parts.push(await describePart('array', key.slice(1), describe));
  }
  return { kind: 'Zarr', facts: { arrays: keys.length }, parts, notes };
};

async function describeArray(
  array: ZarrArray,
  kind: string,
  options: DescribeOptions,
): Promise<FileDescription> {
  const { format, shape, chunks, type, isBigEndian, fill, attributes, dimensionNames, codecs } =
    array.metadata;
  const facts = {
    version: format,
    shape: [...shape],
    type,
    ...(isBigEndian && { byteOrder: 'big-endian' }),
    chunks: [...chunks],
    codecs: codecs.map(({ name }) => name),
    fill: factOf(fill),
    ...(dimensionNames && { dimensions: [...dimensionNames] }),
    ...(Object.keys(attributes).length > 0 && { attributes: factOf(attributes) }),
  };
  const named = array.key === '' ? {} : { name: array.key.slice(1) };
  if (!wantsStatistics(elementCount(shape) * bytesOfType(type), options)) return { kind, ...named, facts };
  const numbers = await array.read(undefined, options.signal ? { signal: options.signal } : {});
  return { kind, ...named, facts, bands: [describeNumbers(numbers)] };
}
