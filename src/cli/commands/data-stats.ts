import { TEXT } from '../../display/mime.js';
import { textOption, type Command } from '../command.js';
import { limitOf, openNamed } from '../dataset-options.js';
import { withProgress } from '../fetch-with-progress.js';

/**
 * `gondwana data stats ID ROOT`: numbers of the bands and shares of the classes, measured. Exit code 1 where a sample
 * cannot be read: the numbers are those of the others.
 * @throws UsageError SPLIT_UNKNOWN, FAULT_UNKNOWN, PARAMETER_UNKNOWN, OPTION_VALUE; InputError FOLDER_MISSING, MANIFEST_UNKNOWN
 */
export const dataStats: Command = async (context, [id, root], options) => {
  const { signal } = context;
  const limit = limitOf(options);
  const split = textOption(options, 'split');
  const dataset = await openNamed(id!, root!, options, signal);
  const { datasetStatistics } = await import('../../datasets/statistics/dataset-statistics.js');
  const { statisticsBundle } = await import('../../datasets/statistics/statistics-sheet.js');
  const statistics = await withProgress(context, `measuring ${dataset.id}`, (onProgress) =>
    datasetStatistics(dataset, {
      signal,
      onProgress,
      ...(limit !== undefined && { limit }),
      ...(split !== undefined && { split }),
    }),
  );
  const text = String(statisticsBundle(statistics)[TEXT]);
  return { document: statistics, text, exitCode: statistics.samples.damaged.length > 0 ? 1 : 0 };
};
