import { textOption, type Command, type Options } from '../command.js';
import { countOf, openNamed, valuesOf } from '../dataset-options.js';
import { withProgress } from '../fetch-with-progress.js';

/**
 * `gondwana data preview ID ROOT`: samples drawn on a page, with a map where they say where they lie. Exit code 1 where no
 * sample can be read.
 * @throws UsageError SPLIT_UNKNOWN, SAMPLE_UNKNOWN, FAULT_UNKNOWN, OPTION_VALUE; InputError FOLDER_MISSING; what writePreview throws
 */
export const dataPreview: Command = async (context, [id, root], options) => {
  const { signal } = context;
  const wanted = { ...splitOf(options), ...samplesOf(options), signal };
  const dataset = await openNamed(id!, root!, options, signal);
  const out = textOption(options, 'out') ?? `${dataset.id}-preview.html`;
  const { previewDataset } = await import('../../report/preview/preview-dataset.js');
  const { datasetPlaces } = await import('../../datasets/places/dataset-places.js');
  const { writePreview } = await import('../../report/preview/write-preview.js');
  return withProgress(context, `drawing ${dataset.id}`, async (onProgress) => {
    const preview = await previewDataset(dataset, {
      ...wanted,
      onProgress: (share, what) => onProgress(share / 2, what),
    });
    const places = await datasetPlaces(dataset, {
      ...splitOf(options),
      limit: 100,
      signal,
      onProgress: (share, what) => onProgress((1 + share) / 2, `places, ${what}`),
    });
    const files = await writePreview(dataset, preview, { out, places });
    const { samples, damaged, split } = preview;
    const lines = damaged.map(({ sample, code, message }) => `${sample} cannot be read: ${code}: ${message}`);
    const document = {
      dataset: dataset.id,
      split,
      files,
      samples: samples.map(({ id: sample, caption }) => ({ id: sample, caption })),
      damaged,
      places: { drawn: places.places.length, without: places.without },
    };
    const isEmpty = samples.length === 0 && damaged.length > 0;
    return { document, text: [...lines, ...files].join('\n'), exitCode: isEmpty ? 1 : 0 };
  });
};

function splitOf(options: Options): { split?: string } {
  const split = textOption(options, 'split');
  return split === undefined ? {} : { split };
}

function samplesOf(options: Options): { samples?: readonly string[]; count?: number } {
  const samples = valuesOf(options, 'sample');
  const count = textOption(options, 'count');
  if (samples.length > 0) return { samples };
  return count === undefined ? {} : { count: countOf('--count', count) };
}
