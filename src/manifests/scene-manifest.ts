import { InputError } from '../errors.js';
import { readDatasetManifest, type DatasetManifest, type SceneManifest } from './dataset-manifest.js';
import type { WheelSource } from './wheel-source.js';

/** A dataset with one image and one mask a sample, as training and studies see it: its manifest, flat. */
export interface SceneDatasetManifest {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly task: 'segmentation';
  readonly sensor: string;
  readonly bands: readonly string[];
  readonly classes: readonly string[];
  /** Class index that losses and metrics leave out; null where every pixel counts. */
  readonly ignoreIndex: number | null;
  readonly splits: readonly string[];
  /** Splits that are scored, with what they say. */
  readonly scoredSplits: readonly { readonly split: string; readonly meaning: string }[];
  readonly source: WheelSource;
  readonly scenes: readonly SceneManifest[];
  readonly notes: readonly string[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

/**
 * The flat manifest of a dataset.
 * @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID, DATASET_KIND for one that is not fetched by itself, is no
 * segmentation, or has several images a sample
 */
export const readSceneDatasetManifest = (id: string): SceneDatasetManifest =>
  flatten(readDatasetManifest(id));

function flatten(manifest: DatasetManifest): SceneDatasetManifest {
  const { id, title, citation, task, modalities, labels, release, scenes, notes, hash } = manifest;
  const [modality, ...others] = Object.values(modalities);
  if (task !== 'segmentation' || !modality || others.length > 0 || !release.wheel) {
    throw new InputError('DATASET_KIND', `"${id}" cannot be trained on by a study yet.`, {
      where: `data-manifests/datasets/${id}.json`,
      hint: 'Studies take segmentation datasets with one image a sample that are fetched by themselves, e.g. neon-crowns.',
    });
  }
  return {
    id,
    title,
    reference: citation,
    task,
    sensor: modality.sensor,
    bands: modality.bands.map((band) => band.id),
    classes: manifest.classes.map(({ name }) => name),
    ignoreIndex: labels.ignoreIndex,
    splits: Object.keys(manifest.splits),
    scoredSplits: Object.entries(manifest.splits).flatMap(([split, { scored }]) =>
      scored === null ? [] : [{ split, meaning: scored }],
    ),
    source: release.wheel,
    scenes,
    notes,
    hash,
  };
}
