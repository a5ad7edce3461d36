import { TEXT } from '../../display/mime.js';
import { sheetBundle } from '../../display/sheet.js';
import { textOption, type Command } from '../command.js';
import { limitOf, openNamed } from '../dataset-options.js';
import { withProgress } from '../fetch-with-progress.js';

/**
 * `gondwana data check ID ROOT`: the folder compared with the manifest. Exit code 1 where a finding is an error.
 * @throws UsageError SPLIT_UNKNOWN, FAULT_UNKNOWN, PARAMETER_UNKNOWN, OPTION_VALUE; InputError FOLDER_MISSING, MANIFEST_UNKNOWN
 */
export const dataCheck: Command = async (context, [id, root], options) => {
  const { signal } = context;
  const limit = limitOf(options);
  const split = textOption(options, 'split');
  const dataset = await openNamed(id!, root!, options, signal);
  const { checkDataset } = await import('../../datasets/check/check-dataset.js');
  const { checkText } = await import('../../datasets/check/check-sheet.js');
  const check = await withProgress(context, `checking ${dataset.id}`, (onProgress) =>
    checkDataset(dataset, {
      signal,
      onProgress,
      ...(limit !== undefined && { limit }),
      ...(split !== undefined && { split }),
    }),
  );
  const { sheet, findings } = checkText(check);
  const text = [...findings, '', String(sheetBundle(sheet)[TEXT])].join('\n').trimStart();
  return { document: check, text, exitCode: check.isFine ? 0 : 1 };
};
