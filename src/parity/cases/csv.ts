import { InputError } from '../../errors.js';
import { csvNumbers, readCsv } from '../../io/csv.js';
import { judge, type CaseEntry } from './judge.js';

interface CsvEntry extends CaseEntry {
  readonly line?: number;
}

/** A faulty table of results: its form, and its numbers. */
export const runCsvCase = (file: string, entry: CsvEntry): Promise<string | undefined> =>
  judge(entry, () => {
    try {
      const table = readCsv(file, { required: ['model', 'dataset', 'seed', 'metric', 'score'] });
      csvNumbers(table, 'score');
      return undefined;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      if (entry.line === undefined || error.where.endsWith(`:${entry.line}`)) throw error;
      throw new InputError('LINE_WRONG', `it names ${error.where}, not line ${entry.line}`);
    }
  });
