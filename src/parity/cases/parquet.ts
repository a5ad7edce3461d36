import { ParquetFile, type ParquetValue } from '../../io/parquet/parquet-file.js';
import { judge, type CaseEntry } from './judge.js';
import { isNumber } from './numbers.js';

interface ParquetEntry extends CaseEntry {
  readonly rows: number;
  readonly rowGroups: number;
  readonly columns: readonly string[];
  readonly nullCounts: Readonly<Record<string, number>>;
  readonly value: {
    readonly nullCount: number;
    readonly nanCount: number;
    readonly mean: number;
    readonly count: number;
  };
  readonly bigFirst: string;
  readonly bigLast: string;
  readonly bboxRow2: readonly number[];
  readonly whenRow1: string;
  readonly splitCounts: Readonly<Record<string, number>>;
}

/** The mean is a sum in another order than the reference's exact one. */
const MEAN_TOLERANCE = { rel: 1e-12 };

/** One Parquet file of the input cases. @returns undefined where all is right, else one line */
export const runParquetCase = (path: string, entry: ParquetEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    const file = await ParquetFile.open(path);
    try {
      const table = await file.read();
      return entry.expect === 'error' ? undefined : compareTable(file, table, entry);
    } finally {
      file.close();
    }
  });

function compareTable(
  { rowCount, rowGroupCount }: ParquetFile,
  table: ReadonlyMap<string, readonly ParquetValue[]>,
  entry: ParquetEntry,
): string | undefined {
  const column = (name: string): readonly ParquetValue[] => table.get(name) ?? [];
  const names = [...table.keys()];
  if (names.join() !== entry.columns.join())
    return `the columns are ${names.join()}, not ${entry.columns.join()}`;
  if (rowCount !== entry.rows || rowGroupCount !== entry.rowGroups)
    return `it has ${rowCount} rows in ${rowGroupCount} groups, not ${entry.rows} in ${entry.rowGroups}`;
  for (const [name, due] of Object.entries(entry.nullCounts)) {
    const nulls = column(name).filter((value) => value === null).length;
    if (nulls !== due) return `${name} has ${nulls} nulls, not ${due}`;
  }
  const values = column('value').filter((value) => typeof value === 'number');
  const numbers = values.filter((value) => !Number.isNaN(value));
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const { value: due } = entry;
  if (
    values.length - numbers.length !== due.nanCount ||
    numbers.length !== due.count ||
    !isNumber(mean, due.mean, MEAN_TOLERANCE)
  )
    return `value has ${numbers.length} numbers with mean ${mean}, not ${due.count} with ${due.mean}`;
  const found = {
    bigFirst: String(column('big')[0]),
    bigLast: String(column('big').at(-1)),
    bboxRow2: JSON.stringify(column('bbox')[2]),
    whenRow1: column('when')[1],
    splitCounts: counts(column('split')),
  };
  for (const [name, got] of Object.entries(found)) {
    const wanted = entry[name as keyof typeof found];
    const text =
      typeof wanted === 'string'
        ? wanted
        : name === 'splitCounts'
          ? sorted(wanted as object)
          : JSON.stringify(wanted);
    if (got !== text) return `${name} is ${String(got)}, not ${text}`;
  }
  return undefined;
}

const sorted = (record: object): string => JSON.stringify(Object.entries(record).sort());

function counts(values: readonly ParquetValue[]): string {
  const found = new Map<string, number>();
  for (const value of values) found.set(String(value), (found.get(String(value)) ?? 0) + 1);
  return JSON.stringify([...found].sort());
}
