import { plainText, TEXT } from '../../display/mime.js';
import { sheetBundle } from '../../display/sheet.js';
import { tableText } from '../../display/table.js';
import { findPublishedTable } from '../../manifests/published-manifest.js';
import { listPublished, publishedRows } from '../../published/published-rows.js';
import { UsageError } from '../../errors.js';
import { textOption, type Command } from '../command.js';
import { facts } from '../facts.js';

/** `gondwana published list`. */
export const publishedList: Command = () => {
  const rows = listPublished();
  return Promise.resolve({ document: rows, text: tableText(rows, { maximumRows: rows.length }) });
};

/** `gondwana published show TABLE`: the rows, where they come from, and what is wrong or loose in them. @throws InputError TABLE_UNKNOWN */
export const publishedShow: Command = (_context, [id]) => {
  const { paper, table } = findPublishedTable(id!);
  const source = paper.sources[table.source]!;
  const rows = publishedRows(id!);
  const notes = [...table.notes, ...paper.notes];
  const document = {
    ...table,
    paper: paper.id,
    source,
    benchmark: paper.benchmark,
    protocol: paper.protocol,
    mode: paper.mode,
    notes,
    rows,
  };
  const text = [
    `${table.place}: ${table.title}`,
    tableText(
      rows.map(({ table: _, ...row }) => row),
      { maximumRows: ROWS_SHOWN },
    ),
    facts({
      source: `${source.title}; ${source.address}`,
      licence: source.licence,
      notes: notes.map(plainText),
    }),
  ].join('\n\n');
  return Promise.resolve({ document, text });
};

/** The largest printed table has 255 rows; of runs there are thousands, and `--json` has all. */
const ROWS_SHOWN = 300;

/**
 * `gondwana published compare STORE --with TABLE`: runs of a store beside a paper's rows.
 * @throws UsageError OPTION_MISSING; InputError STORE_EMPTY, NOT_A_FOLDER, TABLE_UNKNOWN, TABLE_WITHOUT_SCORES
 */
export const publishedCompare: Command = async (_context, [folder], options) => {
  const table = textOption(options, 'with');
  if (table === undefined) {
    throw new UsageError('OPTION_MISSING', 'Which table the runs are set beside was not said.', {
      hint: 'gondwana published compare STORE --with TABLE; `gondwana published list` names the tables.',
    });
  }
  const { paper } = findPublishedTable(table);
  const [{ openStore }, { emptyStore }] = await Promise.all([
    import('../../results/store.js'),
    import('../../results/empty-store.js'),
  ]);
  const store = openStore(folder!);
  const { records, damaged } = store.readAll();
  if (records.length === 0) {
    const hint = 'Name the folder of a study, e.g. results/quickstart. `gondwana run STUDY` makes one.';
    throw emptyStore(store.folder, damaged, hint);
  }
  const { compareWithPublished } = await import('../../published/compare-published.js');
  const { comparisonSheet } = await import('../../published/comparison-sheet.js');
  const rows = compareWithPublished(records, table);
  const lines = [String(sheetBundle(comparisonSheet(rows, table))[TEXT])];
  if (damaged.length > 0)
    lines.push(damaged.map(({ file, reason }) => `damaged: ${file}: ${reason}`).join('\n'));
  return {
    document: { table, paper: paper.id, store: store.folder, rows, damaged },
    text: lines.join('\n\n'),
  };
};
