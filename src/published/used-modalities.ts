import { readDatasetManifest } from '../manifests/dataset-manifest.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import { listManifests } from '../manifests/read-manifest.js';

/** Modalities that a dataset has and an encoder takes, sorted, e.g. `optical+sar`; null where either is not known. */
export function findEncoderModalities(dataset: string, encoder: string): string | null {
  if (!listManifests('datasets').includes(dataset) || !listManifests('encoders').includes(encoder))
    return null;
  const has = Object.keys(readDatasetManifest(dataset).modalities);
  const takes = Object.keys(readEncoderManifest(encoder).modalities);
  return has
    .filter((name) => takes.includes(name))
    .sort()
    .join('+');
}
