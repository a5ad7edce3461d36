import { numpyCode } from '../../io/numeric-array.js';
import { ZarrArray } from '../../io/zarr/zarr-array.js';
import { judge, type CaseEntry } from './judge.js';
import {
  isNumber,
  probesDifference,
  shapeDifference,
  statisticsDifference,
  type ExpectedNumber,
  type ExpectedStatistics,
} from './numbers.js';

interface ZarrEntry extends CaseEntry, ExpectedStatistics {
  readonly zarrFormat: 2 | 3;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly fill: ExpectedNumber;
  readonly probes?: readonly { readonly index: readonly number[]; readonly value: ExpectedNumber }[];
}

/** One Zarr store of the input cases. @returns undefined where all is right, else one line */
export const runZarrCase = (folder: string, entry: ZarrEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    const zarr = ZarrArray.open(folder);
    const array = await zarr.read();
    if (entry.expect === 'error') return undefined;
    const { format, fill } = zarr.metadata;
    const code = numpyCode(array);
    if (format !== entry.zarrFormat) return `the format is ${format}, not ${entry.zarrFormat}`;
    if (code !== entry.dtype) return `the type is ${code}, not ${entry.dtype}`;
    if (!isNumber(fill ?? undefined, entry.fill)) return `the fill value is ${fill}, not ${entry.fill}`;
    return (
      shapeDifference(array.shape, entry.shape) ??
      statisticsDifference(array.data, entry) ??
      probesDifference(array, entry.probes)
    );
  });
