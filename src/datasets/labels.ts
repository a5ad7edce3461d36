import { InputError } from '../errors.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import type { LabelRules } from '../manifests/dataset-manifest.js';
import type { TargetOf } from './sample.js';

/**
 * The target of a stored label map by the manifest's rules: `map` says value by value, else `offset` is added;
 * what `map` does not name becomes `others`.
 * @throws InputError LABEL_UNKNOWN for a value that no rule takes, naming value and file
 */
export function mapLabels(
  stored: LabelArray,
  rules: LabelRules,
  classCount: number,
  where: string,
): TargetOf<'mask'> {
  const { data, height, width } = stored;
  const labels = new Int16Array(data.length);
  const seen = new Map<number, number>();
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    let label = seen.get(value);
    if (label === undefined) {
      label = mapValue(value, rules, classCount, where);
      seen.set(value, label);
    }
    labels[i] = label;
  }
  return { kind: 'mask', labels: { data: labels, height, width }, stored };
}

function mapValue(value: number, rules: LabelRules, classCount: number, where: string): number {
  const label = rules.map
    ? (rules.map[String(value)] ?? rules.others ?? undefined)
    : value + (rules.offset ?? 0);
  const isClass = label !== undefined && Number.isInteger(label) && label >= 0 && label < classCount;
  const isLeftOut = label !== undefined && (label === rules.ignoreIndex || rules.voidClasses.includes(label));
  if (isClass || isLeftOut) return label;
  if (rules.others !== undefined) return rules.others;
  throw new InputError('LABEL_UNKNOWN', `The label ${value} is none of the classes 0 … ${classCount - 1}.`, {
    where,
    hint: 'The file is not the label map of this dataset, or "labels" in its manifest lacks a rule.',
  });
}

/** The single band of a raster as a label map. @throws InputError LABEL_UNREADABLE for several bands or fractions */
export function toLabels(raster: RasterArray, where: string, band = 0): LabelArray {
  const { data, height, width, bandCount } = raster;
  const labels = new Int32Array(height * width);
  for (let i = 0; i < labels.length; i++) {
    const value = data[i * bandCount + band]!;
    if (!Number.isInteger(value)) {
      throw new InputError('LABEL_UNREADABLE', `The label map holds ${value}, which is no class.`, {
        where,
        hint: `Pixel at row ${Math.floor(i / width)}, column ${i % width}; labels are whole numbers.`,
      });
    }
    labels[i] = value;
  }
  return { data: labels, height, width };
}
