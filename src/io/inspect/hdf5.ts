import { Hdf5File, type Hdf5Entry } from '../hdf5/hdf5-file.js';
import { bytesOfType, elementCount, type NumericType } from '../numeric-array.js';
import { readPickleAttribute } from '../pickle-attribute.js';
import { entry as entryOf } from '../pickle.js';
import {
  describeNumbers,
  describePart,
  factOf,
  firstParts,
  wantsStatistics,
  type Describer,
  type DescribeOptions,
  type Fact,
  type FileDescription,
} from './description.js';

/** An HDF5 or NetCDF 4 file: its tree, with the attributes; a pickle among them is shown as data. */
export const describeHdf5: Describer = async (path, options = {}) => {
  const file = await Hdf5File.open(path);
  try {
    const { chosen, notes } = firstParts(file.entries, options, 'entries');
    const parts: FileDescription[] = [];
    for (const entry of chosen) {
      options.signal?.throwIfAborted();
      parts.push(await describePart(entry.kind, entry.path, () => describeEntry(file, entry, options)));
    }
    const attributes = attributesOf(file, '/');
    const { pickle, ...others } = attributes;
    const facts = {
      datasets: file.datasetPaths.length,
      ...(Object.keys(others).length > 0 && { attributes: others }),
    };
    if (pickle === undefined) return { kind: 'HDF5', facts, parts, notes };
    const shown = await describePart('pickle', '@pickle', () => describePickle(file));
    return { kind: 'HDF5', facts, parts: [shown, ...parts], notes };
  } finally {
    file.close();
  }
};

function describeEntry(
  file: Hdf5File,
  { path, kind, target }: Hdf5Entry,
  options: DescribeOptions,
): FileDescription {
  const link = target === undefined ? {} : { target };
  if (kind === 'link to another file')
    return { kind, name: path, facts: link, notes: ['it leads out of this file, and was not followed'] };
  if (kind === 'broken link' || target !== undefined)
    return { kind: kind === 'broken link' ? kind : 'link', name: path, facts: link };
  const attributes = attributesOf(file, path);
  const extra = Object.keys(attributes).length > 0 ? { attributes } : {};
  if (kind !== 'dataset') return { kind, name: path, facts: extra };
  const { shape, type, isBigEndian, chunks, filters } = file.dataset(path);
  const facts = {
    shape: shape && [...shape],
    type,
    ...(isBigEndian && { byteOrder: 'big-endian' }),
    ...(chunks && { chunks: [...chunks] }),
    ...(filters.length > 0 && { filters: [...filters] }),
    ...extra,
  };
  const isNumeric = /^(bool|u?int|float)\d*$/.test(type);
  if (shape && type === 'text' && elementCount(shape) <= 1000)
    return { kind, name: path, facts: { ...facts, texts: factOf(file.texts(path).texts) } };
  if (
    !isNumeric ||
    !shape ||
    !wantsStatistics(elementCount(shape) * bytesOfType(type as NumericType), options)
  )
    return { kind, name: path, facts };
  return { kind, name: path, facts, bands: [describeNumbers(file.read(path))] };
}

function attributesOf(file: Hdf5File, path: string): Record<string, Fact> {
  return Object.fromEntries([...file.attributes(path)].map(([name, value]) => [name, factOf(value)]));
}

function describePickle(file: Hdf5File): FileDescription {
  const { value, names, dangerous } = readPickleAttribute(file);
  const keys = value instanceof Map ? [...value.keys()].filter((key) => typeof key === 'string') : [];
  const order = entryOf(value, 'bands_order');
  return {
    kind: 'pickle',
    name: '@pickle',
    facts: {
      keys: factOf(keys),
      ...(order !== undefined && { bands_order: factOf(order) }),
      names: [...names],
    },
    notes: [
      'read as data; nothing of it was run',
      ...(dangerous.length > 0
        ? [`it names ${dangerous.join(', ')}, which would run code: do not open it with Python`]
        : []),
    ],
  };
}
