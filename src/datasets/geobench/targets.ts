import { InputError } from '../../errors.js';
import { placeIn } from '../../io/format-error.js';
import type { DatasetIo } from '../dataset-io.js';
import { toLabels } from '../labels.js';
import type { Target } from '../sample.js';
import { keysOf, labelKey, storedTypeOf, toRaster } from './images.js';
import { missing } from './pickled.js';
import type { SampleAttributes } from './sample-attributes.js';
import type { SampleFile } from './sample-file.js';

/** The truth of a sample, in the form of the manifest's task. */
export function readTarget(file: SampleFile, attributes: SampleAttributes, io: DatasetIo): Target {
  const { task, classes } = io.manifest;
  if (task === 'segmentation') return readMask(file, attributes, io);
  const { label } = attributes;
  if (task === 'multilabel') {
    if (Array.isArray(label) && isPresence(label as readonly number[], classes.length))
      return {
        kind: 'classes',
        labels: (label as readonly number[]).flatMap((one, index) => (one ? [index] : [])),
      };
    throw badLabel(label, `0 and 1 for each of the ${classes.length} classes`, file.where);
  }
  if (typeof label === 'number' && Number.isInteger(label) && label >= 0 && label < classes.length)
    return { kind: 'class', label };
  throw badLabel(label, `one of the classes 0 … ${classes.length - 1}`, file.where);
}

const isPresence = (label: readonly number[], count: number): boolean =>
  label.length === count && label.every((one) => one === 0 || one === 1);

function readMask(file: SampleFile, attributes: SampleAttributes, io: DatasetIo): Target {
  const keys = keysOf(file, attributes);
  const key = labelKey(keys) ?? labelKey(file.keys.map((name) => ({ key: name, name, date: null })));
  if (!key)
    throw missing('label map', file.where, 'Its name begins with "label": the file is not of this dataset.');
  const where = placeIn(file.where, key.key);
  const array = file.array(key.key);
  const record = attributes.arrays.get(key.key);
  return {
    ...io.mapLabels(toLabels(toRaster(array, where), where), where),
    source: {
      key: key.key,
      storedType: storedTypeOf(array),
      crs: record?.crs ?? null,
      transform: record?.transform ?? null,
    },
  };
}

function badLabel(label: SampleAttributes['label'], wanted: string, where: string): InputError {
  if (label === null) {
    return missing('label', where, 'A classification sample has it in its attribute "pickle".');
  }
  const text = Array.isArray(label) ? `a list of ${label.length} numbers` : String(label);
  return new InputError('LABEL_UNKNOWN', `The label is ${text}, and ${wanted} is wanted.`, {
    where,
    hint: 'The file is of another dataset or release.',
  });
}
