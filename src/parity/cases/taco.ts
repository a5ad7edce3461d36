import { readGeoTiff } from '../../io/geotiff.js';
import { readTacoItems, TacoFile, type TacoItem } from '../../io/taco/taco-file.js';
import { judge, type CaseEntry } from './judge.js';
import { shapeDifference, statisticsDifference, type ExpectedStatistics } from './numbers.js';

interface ExpectedImage extends ExpectedStatistics {
  /** Band, row, column. */
  readonly shape: readonly number[];
}

interface TacoEntry extends CaseEntry {
  readonly samples?: readonly {
    readonly id: string;
    readonly split: string;
    readonly image: ExpectedImage;
    readonly label: ExpectedImage;
  }[];
}

/** One container of the input cases, with all that lies inside it. @returns undefined where all is right, else one line */
export const runTacoCase = (
  path: string,
  { samples = [], ...entry }: TacoEntry,
): Promise<string | undefined> =>
  judge(entry, async () => {
    const file = await TacoFile.open(path);
    try {
      const ids = file.items.map(({ id }) => id);
      const due = samples.map(({ id }) => id);
      if (samples.length > 0 && ids.join() !== due.join())
        return `the items are ${ids.join()}, not ${due.join()}`;
      for (const item of file.items) {
        const expected = samples.find(({ id }) => id === item.id);
        if (expected && item.split !== expected.split)
          return `${item.id} is of ${item.split}, not ${expected.split}`;
        for (const inner of await readTacoItems(item.source)) {
          const difference = await compareImage(inner, expected?.[inner.id as 'image' | 'label']);
          if (difference) return `${item.id} » ${inner.id}: ${difference}`;
        }
      }
      return undefined;
    } finally {
      file.close();
    }
  });

async function compareImage(
  { source }: TacoItem,
  expected: ExpectedImage | undefined,
): Promise<string | undefined> {
  const { data, height, width, bandCount } = await readGeoTiff(source);
  if (!expected) return undefined;
  return shapeDifference([bandCount, height, width], expected.shape) ?? statisticsDifference(data, expected);
}
