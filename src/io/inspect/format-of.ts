import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { FileSource, readHead } from '../byte-source.js';
import { readError } from '../file-errors.js';
import { emptyFile } from '../format-error.js';
import { looksLikeText, SNIFF_BYTES } from '../sniff.js';
import { ZipArchive } from '../zip.js';
import type { DescribedFormat } from './describers.js';

export type FileFormat = DescribedFormat | 'checkpoint';

const MAGIC: readonly (readonly [bytes: string, format: FileFormat])[] = [
  ['II*\0', 'raster'],
  ['MM\0*', 'raster'],
  ['II+\0', 'raster'],
  ['MM\0+', 'raster'],
  ['\x89PNG\r\n\x1a\n', 'raster'],
  ['\xff\xd8\xff', 'raster'],
  ['\x89HDF\r\n\x1a\n', 'hdf5'],
  ['\x93NUMPY', 'npy'],
  ['PAR1', 'parquet'],
  ['PARE', 'parquet'],
  ['#y', 'taco'],
  ['WX', 'taco'],
];

/** By the end of the name, for files whose content does not tell. */
const ENDINGS: ReadonlyMap<string, FileFormat> = new Map([
  ...['.tif', '.tiff', '.png', '.jpg', '.jpeg'].map((ending) => [ending, 'raster'] as const),
  ...['.hdf5', '.h5', '.hdf', '.nc', '.nc4', '.he5'].map((ending) => [ending, 'hdf5'] as const),
  ...['.pt', '.pth', '.ckpt', '.bin', '.safetensors'].map((ending) => [ending, 'checkpoint'] as const),
  ['.npy', 'npy'],
  ['.npz', 'npz'],
  ['.parquet', 'parquet'],
  ['.geoparquet', 'parquet'],
  ['.taco', 'taco'],
  ['.tortilla', 'taco'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.geojson', 'geojson'],
]);

/**
 * What kind of file this is: by its first bytes, else by its name; a folder with Zarr metadata is a store. undefined
 * where neither tells.
 * @throws InputError FILE_MISSING, NO_PERMISSION, EMPTY_FILE (where the name tells nothing either)
 */
export async function formatOf(file: string): Promise<FileFormat | undefined> {
  if (isFolder(file)) {
    const isZarr = ['.zarray', '.zgroup', 'zarr.json'].some((name) => existsSync(path.join(file, name)));
    return isZarr || /\.zarr$/i.test(file) ? 'zarr' : undefined;
  }
  const ending = ENDINGS.get(path.extname(file).toLowerCase());
  const source = FileSource.open(file);
  const head = readHead(source, SNIFF_BYTES);
  source.close();
  if (head.length === 0 && !ending) throw emptyFile(file);
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1');
  const found = MAGIC.find(([bytes]) => start.startsWith(bytes));
  if (found) return found[1];
  if (start.startsWith('PK\x03\x04')) return formatOfZip(file, ending);
  if (ending) return ending;
  const text = Buffer.from(head).toString('latin1').trimStart();
  if (text.startsWith('{')) return text.includes('"FeatureCollection"') ? 'geojson' : 'checkpoint'; // the index of a sharded one
  if (/^.{8}\{"/s.test(Buffer.from(head).toString('latin1'))) return 'checkpoint'; // safetensors: a length, then JSON
  return looksLikeText(head) && /[,;\t]/.test(text) ? 'csv' : undefined;
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (cause) {
    throw readError(cause, file);
  }
}

/** Bundles of arrays and PyTorch's weights are both archives. */
async function formatOfZip(file: string, ending: FileFormat | undefined): Promise<FileFormat | undefined> {
  if (ending === 'npz' || ending === 'checkpoint') return ending;
  const zip = await ZipArchive.open(file);
  const names = [...zip.entries.keys()];
  zip.close();
  if (names.some((name) => /(^|\/)data\.pkl$/.test(name))) return 'checkpoint';
  return names.length > 0 && names.every((name) => name.endsWith('.npy')) ? 'npz' : ending;
}
