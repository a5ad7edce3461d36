import { readInertPickle } from '../../io/pickle-attribute.js';
import type { PickleValue } from '../../io/pickle.js';
import { attribute, className, itemsOf, members, numberOf, numbersIn, textsIn } from './pickled.js';

/** What `task_specs.pkl` of a dataset says, under the names of its files. */
export interface TaskSpecifications {
  readonly dataset_name: string | null;
  readonly benchmark_name: string | null;
  /** [height, width] of the band with the most pixels. */
  readonly patch_size: readonly number[] | null;
  readonly n_time_steps: number | null;
  /** Least ground sampling distance of the bands, metres. */
  readonly spatial_resolution: number | null;
  /** Class of the label, e.g. `SegmentationClasses`. */
  readonly label_type: string | null;
  readonly n_classes: number | null;
  /** Names of the classes; null where the file has none. */
  readonly class_names: readonly string[] | null;
  /** Names of the bands in logical order. */
  readonly bands: readonly (string | null)[];
}

/** @throws InputError CORRUPT_DATA, UNSAFE, PICKLE_MALFORMED, PICKLE_UNSUPPORTED */
export function readTaskSpecifications(bytes: Uint8Array, where: string): TaskSpecifications {
  const values = members(readInertPickle(bytes, where), 'task specifications', where);
  const label = values.get('label_type');
  return {
    dataset_name: textOf(values.get('dataset_name')),
    benchmark_name: textOf(values.get('benchmark_name')),
    patch_size: numbersIn(values.get('patch_size')) ?? null,
    n_time_steps: numberOf(values.get('n_time_steps')) ?? null,
    spatial_resolution: numberOf(values.get('spatial_resolution')) ?? null,
    label_type: className(label),
    n_classes: numberOf(attribute(label, 'n_classes')) ?? null,
    class_names: classNames(label),
    bands: (itemsOf(values.get('bands_info')) ?? []).map((band) => textOf(attribute(band, 'name'))),
  };
}

/** The multi-label class calls the attribute by another name. */
const classNames = (label: PickleValue | undefined): readonly string[] | null =>
  textsIn(attribute(label, '_class_names')) ?? textsIn(attribute(label, 'class_name')) ?? null;

const textOf = (value: PickleValue | undefined): string | null => (typeof value === 'string' ? value : null);
