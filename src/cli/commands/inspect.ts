import { statSync } from 'node:fs';
import { InputError } from '../../errors.js';
import { FileSource, readHead } from '../../io/byte-source.js';
import { describers, type DescribedFormat } from '../../io/inspect/describers.js';
import type { Describer } from '../../io/inspect/description.js';
import { formatOf, type FileFormat } from '../../io/inspect/format-of.js';
import { describeImpostor, SNIFF_BYTES } from '../../io/sniff.js';
import type { Command } from '../command.js';
import { descriptionText } from '../describe-file.js';

/**
 * `gondwana inspect FILE`: what a file is and what is in it.
 * @throws InputError FORMAT_UNKNOWN, and what the reader of its format throws
 */
export const inspect: Command = async ({ signal }, [given], options) => {
  const file = given!;
  const format = await formatOf(file);
  if (format === undefined) throw unknownFormat(file);
  const describe = await describerOf(format);
  const description = await describe(file, { signal, statistics: options.statistics !== false });
  signal.throwIfAborted();
  return { document: { file, ...description }, text: descriptionText(file, description) };
};

const describerOf = async (format: FileFormat): Promise<Describer> =>
  format === 'checkpoint'
    ? (await import('../../checkpoints/inspect-checkpoint.js')).describeCheckpoint
    : describers[format satisfies DescribedFormat]();

function unknownFormat(file: string): InputError {
  const known = [
    'TIFF',
    'PNG',
    'JPEG',
    'HDF5',
    'NPY',
    'NPZ',
    'Zarr',
    'Parquet',
    'TACO',
    'CSV',
    'GeoJSON',
    'PyTorch',
    'safetensors',
  ];
  if (statSync(file).isDirectory())
    return new InputError('FORMAT_UNKNOWN', 'This is a folder without the metadata of a Zarr store.', {
      where: file,
      hint: 'Name a file in it; the folder of a dataset is looked at with `gondwana data check ID FOLDER`.',
    });
  const other = impostorOf(file);
  return new InputError(
    'FORMAT_UNKNOWN',
    other?.what ?? 'Neither its first bytes nor its name tell what this is.',
    {
      where: file,
      hint: other?.hint ?? `What is read: ${known.join(', ')}.`,
    },
  );
}

function impostorOf(file: string): ReturnType<typeof describeImpostor> {
  try {
    const source = FileSource.open(file);
    const head = readHead(source, SNIFF_BYTES);
    source.close();
    return describeImpostor(head, source.size);
  } catch {
    return undefined; // a folder
  }
}
