import { FileSource } from '../byte-source.js';
import { readNpy, readNpyHeader, type NpyArray, type NpyHeader } from '../npy.js';
import { NpzFile } from '../npz.js';
import { bytesOfType, elementCount } from '../numeric-array.js';
import {
  describeNumbers,
  describePart,
  firstParts,
  wantsStatistics,
  type Describer,
  type DescribeOptions,
  type FileDescription,
} from './description.js';

/** A `.npy` file: shape, type, order, statistics. */
export const describeNpy: Describer = async (file, options = {}) => {
  const source = FileSource.open(file);
  try {
    return await describeArray('NPY', undefined, readNpyHeader(source), () => readNpy(file), options);
  } finally {
    source.close();
  }
};

/** A `.npz` bundle: its arrays. */
export const describeNpz: Describer = async (file, options = {}) => {
  const bundle = await NpzFile.open(file);
  try {
    const { chosen, notes } = firstParts(bundle.names, options, 'arrays');
    const parts: FileDescription[] = [];
    for (const name of chosen) {
      options.signal?.throwIfAborted();
      const describe = async (): Promise<FileDescription> =>
        describeArray('array', name, await bundle.header(name), () => bundle.read(name), options);
      parts.push(await describePart('array', name, describe));
    }
    return { kind: 'NPZ', facts: { arrays: bundle.names.length }, parts, notes };
  } finally {
    bundle.close();
  }
};

async function describeArray(
  kind: string,
  name: string | undefined,
  header: NpyHeader,
  read: () => Promise<NpyArray>,
  options: DescribeOptions,
): Promise<FileDescription> {
  const { shape, descr, isFortran } = header;
  const facts = { shape: [...shape], dtype: descr, order: isFortran && shape.length > 1 ? 'Fortran' : 'C' };
  const named = name === undefined ? {} : { name };
  const each = Number(/\d+$/.exec(descr)?.[0] ?? 8);
  if (!wantsStatistics(elementCount(shape) * each, options)) return { kind, ...named, facts };
  const array = await read();
  const bytes = elementCount(shape) * bytesOfType(array.type);
  return { kind, ...named, facts: { ...facts, type: array.type, bytes }, bands: [describeNumbers(array)] };
}
