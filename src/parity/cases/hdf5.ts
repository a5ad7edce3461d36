import { Hdf5File, type Hdf5Value } from '../../io/hdf5/hdf5-file.js';
import { readPickleAttribute } from '../../io/pickle-attribute.js';
import { entry as entryOf, type PickleValue } from '../../io/pickle.js';
import { numpyCode } from '../../io/numeric-array.js';
import { judge, type CaseEntry } from './judge.js';
import {
  endsDifference,
  shapeDifference,
  statisticsDifference,
  type ExpectedNumber,
  type ExpectedStatistics,
} from './numbers.js';

interface ExpectedDataset extends ExpectedStatistics {
  readonly path: string;
  readonly shape: readonly number[] | null;
  readonly dtype: string;
  readonly first?: readonly ExpectedNumber[];
  readonly last?: ExpectedNumber;
  readonly values?: readonly string[];
}

interface Hdf5Entry extends CaseEntry {
  readonly datasets?: readonly ExpectedDataset[];
  readonly pickle?: {
    readonly globals: readonly string[];
    readonly class: 'plain data' | 'known types' | 'hostile';
    readonly readable?: Readonly<Record<string, unknown>>;
  };
  readonly bandsOrder?: readonly string[];
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly member?: string;
}

/** One HDF5 file of the input cases. @returns undefined where all is right, else one line */
export const runHdf5Case = (path: string, entry: Hdf5Entry): Promise<string | undefined> =>
  judge(entry, async () => {
    const file = await Hdf5File.open(path);
    try {
      if (entry.expect === 'error') {
        const wanted = entry.member === undefined ? file.datasetPaths : [entry.member];
        for (const name of wanted) file.read(name);
        return undefined;
      }
      return (
        datasetsDifference(file, entry.datasets ?? []) ??
        pickleDifference(file, entry) ??
        attributesDifference(file, entry.attrs) ??
        linksDifference(file, entry.links)
      );
    } finally {
      file.close();
    }
  });

function datasetsDifference(file: Hdf5File, expected: readonly ExpectedDataset[]): string | undefined {
  const found = file.entries.filter(({ kind, target }) => kind === 'dataset' && target === undefined);
  const paths = found.map(({ path }) => path).sort();
  const due = expected.map(({ path }) => path).sort();
  if (paths.join('\n') !== due.join('\n'))
    return `the datasets are ${paths.join(', ')}, not ${due.join(', ')}`;
  for (const dataset of expected) {
    const difference = datasetDifference(file, dataset);
    if (difference) return `${dataset.path}: ${difference}`;
  }
  return undefined;
}

function datasetDifference(file: Hdf5File, expected: ExpectedDataset): string | undefined {
  const { shape, type, isBigEndian } = file.dataset(expected.path);
  if (shape === null || expected.shape === null)
    return shape === expected.shape ? undefined : 'one of the two is an empty space';
  if (expected.dtype === 'string') {
    const texts = file.texts(expected.path);
    return (
      shapeDifference(texts.shape, expected.shape) ??
      (texts.texts.join('\n') === expected.values?.join('\n')
        ? undefined
        : `the texts are ${texts.texts.join(', ')}, not ${expected.values?.join(', ')}`)
    );
  }
  const array = file.read(expected.path);
  // h5py names a type, or writes it as a code where its bytes are turned round
  const name = isBigEndian ? numpyCode(array) : type;
  return (
    shapeDifference(array.shape, expected.shape) ??
    (name === expected.dtype ? undefined : `the type is ${name}, not ${expected.dtype}`) ??
    statisticsDifference(array.data, expected) ??
    endsDifference(array.data, expected)
  );
}

function pickleDifference(file: Hdf5File, { pickle, bandsOrder }: Hdf5Entry): string | undefined {
  if (!pickle) return undefined;
  const { value, names, dangerous } = readPickleAttribute(file);
  if (names.join() !== pickle.globals.join())
    return `the pickle names ${names.join()}, not ${pickle.globals.join()}`;
  const kind = dangerous.length > 0 ? 'hostile' : names.length > 0 ? 'known types' : 'plain data';
  if (kind !== pickle.class) return `the pickle is ${kind}, not ${pickle.class}`;
  for (const [name, due] of Object.entries({
    ...pickle.readable,
    ...(bandsOrder && { bands_order: bandsOrder }),
  })) {
    const got = entryOf(value, name);
    if (asJson(got) !== JSON.stringify(due))
      return `"${name}" of the pickle is ${asJson(got)}, not ${JSON.stringify(due)}`;
  }
  return undefined;
}

const asJson = (value: PickleValue | undefined): string => JSON.stringify(value);

function attributesDifference(file: Hdf5File, expected: Hdf5Entry['attrs']): string | undefined {
  const found: ReadonlyMap<string, Hdf5Value> = file.attributes('/');
  for (const [name, due] of Object.entries(expected ?? {})) {
    const got = found.get(name);
    const text = typeof got === 'bigint' ? `${got}` : got;
    if (JSON.stringify(text) !== JSON.stringify(due))
      return `the attribute ${name} is ${String(got)}, not ${JSON.stringify(due)}`;
  }
  return undefined;
}

function linksDifference(file: Hdf5File, expected: Hdf5Entry['links']): string | undefined {
  for (const [path, target] of Object.entries(expected ?? {})) {
    const got = file.entries.find((entry) => entry.path === path)?.target;
    if (got !== target) return `the link ${path} leads to ${got}, not ${target}`;
    const same = [path, target].map((name) => Array.from(file.read(name).data, String).join());
    if (same[0] !== same[1]) return `${path} and ${target} have other numbers`;
  }
  return undefined;
}
