import path from 'node:path';
import type { Command } from '../command.js';
import { textOption } from '../command.js';
import { openPlannedStore } from '../store-argument.js';

/** Where the report of a store goes unless the user says otherwise. */
export const defaultReport = (store: string): string => path.join(store, 'report', 'index.html');

/** `gondwana report STORE [--out FILE]`. @throws InputError STORE_EMPTY and what writeReport throws */
export const report: Command = async (_context, [folder], options) => {
  await openPlannedStore(folder!);
  const out = textOption(options, 'out') ?? defaultReport(folder!);
  const { writeReport } = await import('../../report/write-report.js');
  const { html: _html, ...beside } = await writeReport(folder!, { out });
  return { document: { report: out, ...beside }, text: out };
};
