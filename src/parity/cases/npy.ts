import { readNpy, type NpyArray } from '../../io/npy.js';
import { NpzFile } from '../../io/npz.js';
import { numpyCode } from '../../io/numeric-array.js';
import { judge, type CaseEntry } from './judge.js';
import {
  endsDifference,
  probesDifference,
  shapeDifference,
  statisticsDifference,
  type ExpectedNumber,
  type ExpectedStatistics,
} from './numbers.js';

interface ExpectedArray extends ExpectedStatistics {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly first?: readonly ExpectedNumber[];
  readonly last?: ExpectedNumber;
  readonly probes?: readonly { readonly index: readonly number[]; readonly value: ExpectedNumber }[];
}

interface NpyEntry extends CaseEntry, ExpectedArray {
  readonly members?: Readonly<Record<string, ExpectedArray>>;
}

/** One `.npy` or `.npz` file of the input cases. @returns undefined where all is right, else one line */
export const runNpyCase = (file: string, entry: NpyEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    if (!file.endsWith('.npz')) return compareArray(await readNpy(file), entry);
    const bundle = await NpzFile.open(file);
    try {
      const members = entry.members ?? {};
      const wanted = Object.keys(members);
      if (wanted.length > 0 && wanted.join() !== bundle.names.join())
        return `the arrays are ${bundle.names.join(', ')}, not ${wanted.join(', ')}`;
      for (const name of bundle.names) {
        const array = await bundle.read(name);
        const difference = members[name] && compareArray(array, members[name]);
        if (difference) return `${name}: ${difference}`;
      }
      return undefined;
    } finally {
      bundle.close();
    }
  });

function compareArray(array: NpyArray, expected: ExpectedArray): string | undefined {
  const code = numpyCode(array);
  return (
    shapeDifference(array.shape, expected.shape) ??
    (code === expected.dtype ? undefined : `the type is ${code}, not ${expected.dtype}`) ??
    statisticsDifference(array.data, expected) ??
    endsDifference(array.data, expected) ??
    probesDifference(array, expected.probes)
  );
}
