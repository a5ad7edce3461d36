import { InputError } from '../../errors.js';
import { FileSource, partOf } from '../../io/byte-source.js';
import { placeIn } from '../../io/format-error.js';
import { TacoFile, readTacoItems, type TacoItem } from '../../io/taco/taco-file.js';
import type { Entry } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';

import type { TortillaSample } from './define.js';

/** A row of a container: a file in it, with what its table says. Errors name container and rows. */
export type Row = TacoItem;

/** The first row of one of the names. @throws InputError SAMPLE_INCOMPLETE */
export function rowNamed(rows: readonly Row[], ...names: readonly string[]): Row {
  for (const name of names) {
    const row = rows.find(({ id }) => id === name);
    if (row) return row;
  }
  throw missingRow(`row "${names.join('" or "')}"`, rows);
}

export const missingRow = (what: string, rows: readonly Row[], where = ''): InputError =>
  new InputError('SAMPLE_INCOMPLETE', `The sample has no ${what}.`, {
    where: rows[0]?.where ?? where,
    hint: `It has ${rows.map(({ id }) => id).join(', ') || 'no rows'}: the file is of another version of the release.`,
  });

/** A sample as the container's table has it. */
export interface IndexEntry extends Entry {
  /** Name in the container: train, validation, test, extra_test. */
  readonly split: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly columns: Readonly<Record<string, unknown>>;
}

/** Tables of the open datasets: each is read once, for all splits. */
const indexes = new WeakMap<DatasetIo, Promise<readonly IndexEntry[]>>();

/** All samples of all containers, in the order of files and rows. */
export function readIndex(io: DatasetIo): Promise<readonly IndexEntry[]> {
  let index = indexes.get(io);
  if (!index) {
    index = readTables(io);
    index.catch(() => indexes.delete(io)); // a folder that is mended can be asked again
    indexes.set(io, index);
  }
  return index;
}

async function readTables(io: DatasetIo): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for (const file of await containerFiles(io)) {
    io.signal?.throwIfAborted();
    const container = await TacoFile.open(io.path(file));
    container.close(); // its table is read; samples open it again
    for (const { id, split, offset, length, columns } of container.items)
      entries.push({ id, split: split ?? '', file, offset, length, columns });
  }
  return entries;
}

/**
 * The containers of the release in the folder, in order: one file, or its numbered parts. Names without `geobench_`
 * are those of the published excerpts.
 * @throws InputError SPLIT_FILES if there is none, or a part is missing
 */
export async function containerFiles(io: DatasetIo): Promise<readonly string[]> {
  const names = io.manifest.release.files.map(({ name }) => name);
  const stem = names[0]!.replace(PART, '.tortilla').replace(/\.tortilla$/, '');
  const there = await io.list('');
  for (const name of [stem, stem.replace(/^geobench_/, '')]) {
    if (there.includes(`${name}.tortilla`)) return [`${name}.tortilla`];
    const parts = there.filter((file) => PART.test(file) && file.replace(PART, '') === name);
    if (parts.length === 0) continue;
    const lost = missingPart(parts, partCount(io.path(parts[0]!)));
    if (lost === undefined) return parts;
    throw new InputError('SPLIT_FILES', `Part ${lost} of the container is missing.`, {
      where: io.root,
      hint: `There is ${parts.join(', ')}: fetch the other parts of ${stem} into the same folder.`,
    });
  }
  throw new InputError('SPLIT_FILES', `The folder has no container "${names[0]!}".`, {
    where: io.root,
    hint: `Name the folder that holds ${names.join(', ')}; it has ${there.slice(0, 5).join(', ') || 'no files'}.`,
  });
}

const PART = /\.(\d{4})\.part\.tortilla$/;

/** Where a container's header says of how many parts it is one. */
const PART_COUNT_AT = 18;

/** 1 where the header says nothing that can be. */
function partCount(file: string): number {
  const source = FileSource.open(file);
  try {
    const { buffer, byteOffset } = source.read(PART_COUNT_AT, 8);
    const count = Number(new DataView(buffer, byteOffset, 8).getBigUint64(0, true));
    return count >= 1 && count <= MAX_PARTS ? count : 1;
  } finally {
    source.close();
  }
}

/** Four digits number the parts. */
const MAX_PARTS = 10_000;

/** Number of the first part that is not there, from 0. */
function missingPart(parts: readonly string[], count: number): number | undefined {
  const numbers = parts.map((part) => Number(PART.exec(part)![1]));
  const last = Math.max(count, ...numbers.map((number) => number + 1));
  return Array.from({ length: last }, (_, number) => number).find((number) => !numbers.includes(number));
}

export interface OpenSample {
  readonly sample: TortillaSample;
  readonly close: () => void;
}

/** Opens the container of a sample and reads the sample's own table. */
export async function openSample(entry: IndexEntry, io: DatasetIo): Promise<OpenSample> {
  const { id, columns, offset, length } = entry;
  const source = FileSource.open(io.path(entry.file));
  try {
    const where = placeIn(source.where, id);
    const rows = await readTacoItems(partOf(source, offset, length, where));
    return { sample: { id, columns, rows, where }, close: () => source.close() };
  } catch (error) {
    source.close();
    throw error;
  }
}
