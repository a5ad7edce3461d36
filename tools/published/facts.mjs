// What the writers of published tables share: facts by file, names to ids, rows to CSV.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readCsv } from '../lib/csv.mjs';

/** Rows of a CSV below the folder of facts, in which no cell holds a line break; every line below the header is one. */
export function factRows(folder, ...parts) {
  const lines = readFileSync(path.join(folder, ...parts), 'utf8')
    .trim()
    .split(/\r?\n/);
  const rows = readCsv(`${lines.join('\n')}\n`);
  if (rows.length !== lines.length - 1)
    throw new Error(`${parts.join('/')}: ${rows.length} rows on ${lines.length - 1} lines`);
  return rows;
}

export const factJson = (folder, ...parts) => JSON.parse(readFileSync(path.join(folder, ...parts), 'utf8'));

/** Ids by any name that facts, papers and result files use; a name that is not known stops the writer. */
export function idsOf(folder) {
  const { datasets, encoders } = factJson(folder, 'ids.json');
  const byName = (entries) => {
    const names = new Map();
    for (const { id, aliases, paper_names: printed } of entries)
      for (const name of [id, ...printed, ...aliases]) names.set(name, id);
    // an id is itself, whatever another entry calls so
    for (const { id } of entries) names.set(id, id);
    return names;
  };
  const find = (names, what) => (name) => {
    const id = names.get(name);
    if (id === undefined) throw new Error(`no ${what} is called "${name}"`);
    return id;
  };
  return {
    dataset: (benchmark) =>
      find(byName(datasets.filter((entry) => entry.benchmark === benchmark)), 'dataset'),
    encoder: (benchmark) =>
      find(
        byName(
          encoders.filter(({ benchmarks }) => benchmarks.some((name) => name.split(' ')[0] === benchmark)),
        ),
        'encoder',
      ),
  };
}

/** The text of a number as it was printed, without a plus sign. */
export function printedNumber(text, where) {
  if (!/^[+-]?\d+(\.\d+)?(e-?\d+)?$/.test(text)) throw new Error(`${where}: "${text}" is no number`);
  return text.replace(/^\+/, '');
}

/** Throws where two rows have the same cells but for `value`: a table says one thing once. */
export function checkUnique(rows, where, apart = ['value', 'error', 'note']) {
  const seen = new Set();
  for (const row of rows) {
    const key = JSON.stringify(Object.entries(row).filter(([name]) => !apart.includes(name)));
    if (seen.has(key)) throw new Error(`${where}: twice ${key}`);
    seen.add(key);
  }
}

/** CSV of the columns in which any row has something, in the given order. */
export function toCsv(rows, columns) {
  const unknown = new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => !columns.includes(name)));
  if (unknown.size > 0) throw new Error(`columns without a place: ${[...unknown].join(', ')}`);
  const used = columns.filter((name) => rows.some((row) => (row[name] ?? '') !== ''));
  const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = rows.map((row) => used.map((name) => cell(String(row[name] ?? ''))).join(','));
  return `${[used.join(','), ...lines].join('\n')}\n`;
}
