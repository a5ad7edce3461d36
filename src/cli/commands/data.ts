import { TEXT } from '../../display/mime.js';
import { sheetBundle } from '../../display/sheet.js';
import { tableText } from '../../display/table.js';
import { resolveDatasetId } from '../../manifests/dataset-ids.js';
import { readDatasetManifest } from '../../manifests/dataset-manifest.js';
import { datasetRow, datasetSheet } from '../../manifests/dataset-sheet.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { findSensorManifest } from '../../manifests/sensor-manifest.js';
import type { Command } from '../command.js';

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
  const sensors = [...ids].flatMap((id) => findSensorManifest(id) ?? []);
  const text = `${String(sheetBundle(datasetSheet(manifest))[TEXT])}\n\nmanifest: sha256 ${manifest.hash}`;
  return Promise.resolve({ document: { ...manifest, sensors }, text });
};
