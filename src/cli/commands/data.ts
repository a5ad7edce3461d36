import { TEXT } from '../../display/mime.js';
import { sheetBundle } from '../../display/sheet.js';
import { tableText } from '../../display/table.js';
import { resolveDatasetId } from '../../manifests/dataset-ids.js';
import { readDatasetManifest, type DatasetManifest } from '../../manifests/dataset-manifest.js';
import { datasetRow, datasetSheet } from '../../manifests/dataset-sheet.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { readSceneDatasetManifest } from '../../manifests/scene-manifest.js';
import { readSensorManifest } from '../../manifests/sensor-manifest.js';
import type { Command, CommandResult } from '../command.js';
import { facts } from '../facts.js';
import { fetchWithProgress } from '../fetch-with-progress.js';

/** `gondwana data list`: every dataset, those of a benchmark together. */
export const dataList: Command = () => {
  const manifests = listManifests('datasets').map(readDatasetManifest);
  const order = ({ benchmark }: { readonly benchmark: string | null }): string => benchmark ?? '';
  const rows = manifests.sort((a, b) => order(a).localeCompare(order(b))).map(datasetRow);
  return Promise.resolve({ document: rows, text: tableText(rows, { maximumRows: rows.length }) });
};

/** `gondwana data info ID`. @throws InputError MANIFEST_UNKNOWN with the nearest id; UsageError DATASET_AMBIGUOUS */
export const dataInfo: Command = (_context, [name]) => {
  const manifest = readDatasetManifest(resolveDatasetId(name!));
  const ids = new Set(Object.values(manifest.modalities).map(({ sensor }) => sensor));
  const sensors = [...ids].map(readSensorManifest);
  const text = `${String(sheetBundle(datasetSheet(manifest))[TEXT])}\n\nmanifest: sha256 ${manifest.hash}`;
  return Promise.resolve({ document: { ...manifest, sensors }, text });
};

/**
 * `gondwana data get ID`: the download that a run would make, made now; where the data cannot be fetched by itself, where
 * it is to be had and what the folder must hold.
 * @throws InputError MANIFEST_UNKNOWN; what fetchDataset throws
 */
export const dataGet: Command = async (context, [name]) => {
  const manifest = readDatasetManifest(resolveDatasetId(name!));
  if (!manifest.release.wheel) return byHand(manifest);
  const scenes = readSceneDatasetManifest(manifest.id);
  const { fetchDataset } = await import('../../datasets/loaded-dataset.js');
  const folder = await fetchWithProgress(context, manifest.id, (options) => fetchDataset(scenes, options));
  return { document: { id: manifest.id, folder, sha256: scenes.source.sha256 }, text: folder };
};

/** What a person has to do. */
function byHand({ id, homepage, licence, layout, release }: DatasetManifest): CommandResult {
  const names = release.files.map(({ name, sha256 }) => (sha256 ? `${name}, sha256 ${sha256}` : name));
  const text = facts({
    dataset: id,
    'to be had': `${homepage} (${release.access})`,
    licence,
    ...(names.length > 0 && { files: names }),
    unpacked: layout.summary,
    ...Object.fromEntries(Object.entries(layout.files).map(([role, pattern]) => [`  ${role}`, pattern])),
    then: `openDataset('${id}', FOLDER)`,
  });
  return { document: { id, homepage, licence, ...release, layout }, text };
}
