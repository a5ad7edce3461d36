import { InputError } from '../../errors.js';
import type { DatasetIo } from '../dataset-io.js';

const SUFFIX = '_partition.json';
/** Names on the disk of the splits. */
const STORED_SPLITS: Readonly<Record<string, string>> = { train: 'train', val: 'valid', test: 'test' };

/** Names of samples by split, under the names of the files: train, valid, test. */
export type Partition = Readonly<Record<string, readonly string[]>>;

/** Names of the partitions of a folder, sorted: `default`, `0.01x_train`, … */
export async function listPartitions(folder: string, io: DatasetIo): Promise<string[]> {
  const names = await io.list(folder);
  return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
}

/** @throws InputError PARTITION_UNKNOWN, PARTITION_INVALID */
export async function readPartition(name: string, folder: string, io: DatasetIo): Promise<Partition> {
  const file = inFolder(folder, `${name}${SUFFIX}`);
  if (!io.exists(file)) {
    const known = await listPartitions(folder, io);
    throw new InputError('PARTITION_UNKNOWN', `There is no partition "${name}".`, {
      where: io.path(file),
      hint: `Known here: ${known.join(', ') || 'none; name the folder that holds the *_partition.json files'}.`,
    });
  }
  const content = await io.json(file);
  if (isPartition(content)) return content;
  throw new InputError('PARTITION_INVALID', 'The partition is no object of lists of names.', {
    where: io.path(file),
    hint: 'It is {"train": […], "valid": […], "test": […]} in the release: restore it.',
  });
}

/** @throws InputError PARTITION_INVALID if the file lacks the split */
export function samplesOf(partition: Partition, split: string, where: string): readonly string[] {
  const stored = STORED_SPLITS[split] ?? split;
  const names = partition[stored] ?? partition[split];
  if (names) return names;
  throw new InputError('PARTITION_INVALID', `The partition has no list "${stored}".`, {
    where,
    hint: `It has ${Object.keys(partition).join(', ')}: restore the file of the release.`,
  });
}

const isPartition = (value: unknown): value is Partition =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((list) => Array.isArray(list) && list.every((name) => typeof name === 'string'));

/** A path below a folder of the dataset; '' is the root. */
export const inFolder = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;
