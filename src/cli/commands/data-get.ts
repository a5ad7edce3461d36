import { TEXT } from '../../display/mime.js';
import { formatNumber } from '../../display/numbers.js';
import { textOption, type Command } from '../command.js';
import { fetchWithProgress } from '../fetch-with-progress.js';

/**
 * `gondwana data get ID`: where the data is to be had and what has to be done; with `--out DIR` the download, continued
 * where an earlier one stopped. A dataset that a package brings goes into the cache unless a folder is named.
 * @throws InputError MANIFEST_UNKNOWN, DATASET_BY_HAND; what getDataset and fetchDataset throw
 */
export const dataGet: Command = async (context, [name], options) => {
  const { datasetSource, getDataset, sourceBundle } = await import('../../datasets/get-dataset.js');
  const source = datasetSource(name!);
  const out = textOption(options, 'out');
  if (out !== undefined) {
    const fetched = await fetchWithProgress(context, source.id, (given) => getDataset(source.id, out, given));
    const lines = fetched.files.map(
      ({ file, bytes, sha256, verifiedBy, wasThere }) =>
        `${file}  ${formatNumber(bytes / 1e6, 1)} MB  sha256 ${sha256}, ${verifiedBy ? `as the ${verifiedBy} states` : 'nobody states one'}${wasThere ? ', was there' : ''}`,
    );
    return { document: fetched, text: [...lines, ...fetched.steps, fetched.folder].join('\n') };
  }
  if (source.way !== 'package') return { document: source, text: String(sourceBundle(source)[TEXT]) };
  const { fetchDataset } = await import('../../datasets/loaded-dataset.js');
  const { readSceneDatasetManifest } = await import('../../manifests/scene-manifest.js');
  const scenes = readSceneDatasetManifest(source.id);
  const folder = await fetchWithProgress(context, source.id, (given) => fetchDataset(scenes, given));
  return { document: { id: source.id, folder, sha256: scenes.source.sha256 }, text: folder };
};
