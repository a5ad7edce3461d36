import { InputError } from '../../errors.js';
import type { LabelArray } from '../../io/raster.js';
import type { DatasetIo } from '../dataset-io.js';
import { toLabels } from '../labels.js';
import type { SampleObject, TargetOf } from '../sample.js';
import type { Row } from './container.js';
import { readGrid } from './row-readers.js';

/** The classes of a list of names. @throws InputError LABEL_UNKNOWN for a name that is no class */
export function namedClasses(names: unknown, io: DatasetIo, where: string): TargetOf<'classes'> {
  if (!Array.isArray(names)) throw unknownLabel('The sample has no list of class names.', where);
  const labels = (names as readonly unknown[]).map((name) => classOf(name, io, where));
  return { kind: 'classes', labels: [...new Set(labels)].sort((a, b) => a - b) };
}

/**
 * The class of a column that holds its index, in the row of the image, or its name, in the row of the sample.
 * @throws InputError LABEL_UNKNOWN, also where both say something and not the same
 */
export function oneClass(index: unknown, name: unknown, io: DatasetIo, where: string): TargetOf<'class'> {
  const byName = typeof name === 'string' ? classOf(name, io, where) : undefined;
  const label = toIndex(index) ?? byName ?? toIndex(name);
  const count = io.manifest.classes.length;
  if (label === undefined || label < 0 || label >= count)
    throw unknownLabel(
      `The label is ${String(index)}, which is none of the classes 0 … ${count - 1}.`,
      where,
    );
  if (byName !== undefined && byName !== label)
    throw unknownLabel(
      `The label is ${label} in the image's row, and "${String(name)}" in the sample's.`,
      where,
    );
  return { kind: 'class', label };
}

function toIndex(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

/** Index of a class by its name. @throws InputError LABEL_UNKNOWN */
export function classOf(name: unknown, { manifest }: DatasetIo, where: string): number {
  const index = manifest.classes.findIndex((candidate) => candidate.name === name);
  if (index >= 0) return index;
  throw unknownLabel(`"${String(name)}" is none of the ${manifest.classes.length} classes.`, where);
}

function unknownLabel(message: string, where: string): InputError {
  return new InputError('LABEL_UNKNOWN', message, {
    where,
    hint: 'The file is of another dataset or version, or its manifest lacks the class.',
  });
}

/** The label map of a row, mapped by the manifest; other rows of it by their names. */
export async function maskOf(
  row: Row,
  io: DatasetIo,
  parts: Readonly<Record<string, Row | undefined>> = {},
): Promise<TargetOf<'mask'>> {
  const grid = await readGrid(row);
  const { storedType, crs, transform, nodata } = grid;
  const mask = {
    ...io.mapLabels(toLabels(grid, row.where), row.where),
    source: { key: row.id, storedType, crs, transform, nodata },
  };
  const others: Record<string, LabelArray> = {};
  for (const [name, part] of Object.entries(parts))
    if (part) others[name] = toLabels(await readGrid(part), part.where);
  return Object.keys(others).length > 0 ? { ...mask, parts: others } : mask;
}

/** Pixels of a mask that are 1. */
export function countOnes(mask: LabelArray['data']): number {
  let count = 0;
  for (const value of mask) if (value === 1) count++;
  return count;
}

/** The numbers of a row with one band; NaN does not count. */
export async function valuesOf(row: Row): Promise<TargetOf<'values'>> {
  const { data, height, width, bandCount } = await readGrid(row);
  if (bandCount !== 1 || !(data instanceof Float32Array || data instanceof Float64Array)) {
    throw new InputError(
      'TARGET_UNREADABLE',
      `The target has ${bandCount} bands of ${data.constructor.name}.`,
      {
        where: row.where,
        hint: 'A regression target is one band of floating-point numbers: the file is of another version.',
      },
    );
  }
  const isHole = data.some(Number.isNaN);
  const valid = isHole ? Uint8Array.from(data, (value) => (Number.isNaN(value) ? 0 : 1)) : null;
  return { kind: 'values', values: data, height, width, valid };
}

/** One annotation of the files that hold them as JSON. */
export interface Annotation {
  readonly category_id: number;
  /** x, y, width, height. */
  readonly bbox: readonly number[];
  readonly mask?: readonly (readonly number[])[];
}

/** @throws InputError ANNOTATION_INVALID for entries of another form */
export function toAnnotations(json: unknown, member: string, where: string): readonly Annotation[] {
  const list =
    typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[member] : undefined;
  if (!Array.isArray(list)) throw invalidAnnotation(`The annotation has no list "${member}".`, where);
  for (const [index, entry] of (list as readonly unknown[]).entries()) {
    if (!isAnnotation(entry))
      throw invalidAnnotation(
        `Object ${index + 1} of the annotation has no class, or no box of x, y, width, height.`,
        where,
      );
  }
  return list as readonly Annotation[];
}

function isAnnotation(value: unknown): value is Annotation {
  if (typeof value !== 'object' || value === null) return false;
  const { category_id, bbox, bbox_mode = 'xywh', mask = [] } = value as Record<string, unknown>;
  return (
    Number.isInteger(category_id) &&
    isNumbers(bbox) &&
    bbox.length === 4 &&
    bbox_mode === 'xywh' &&
    isPolygons(mask)
  );
}

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number' && Number.isFinite(one));

const isPolygons = (value: unknown): boolean =>
  Array.isArray(value) && value.every((polygon) => isNumbers(polygon) && polygon.length % 2 === 0);

const invalidAnnotation = (message: string, where: string): InputError =>
  new InputError('ANNOTATION_INVALID', message, {
    where,
    hint: 'The file is damaged or of another version: fetch it again.',
  });

/** An annotation as an object; its far edges are x + width and y + height. */
export function toObject(
  { category_id, bbox }: Annotation,
  id: number,
  io: DatasetIo,
  where: string,
): SampleObject {
  const count = io.manifest.classes.length;
  if (category_id < 0 || category_id >= count)
    throw unknownLabel(`Object ${id + 1} is of class ${category_id}, and there are 0 … ${count - 1}.`, where);
  const [x, y, width, height] = bbox as readonly [number, number, number, number];
  return { id, label: category_id, box: [x, y, x + width, y + height] };
}
