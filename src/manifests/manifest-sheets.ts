import type { Fact, Sheet } from '../display/sheet.js';
import type { SceneDatasetManifest } from './scene-manifest.js';
import type { EncoderManifest } from './encoder-manifest.js';
import type { ProtocolManifest } from './protocol-manifest.js';
import type { WheelSource } from './wheel-source.js';

/** A dataset before it is downloaded: what its manifest says. */
export function datasetSheet(manifest: SceneDatasetManifest): Sheet {
  return {
    title: manifest.title,
    facts: datasetFacts(manifest),
    tables: [{ rows: splitRows(manifest) }],
    notes: manifest.notes,
  };
}

export const datasetFacts = (manifest: SceneDatasetManifest): Fact[] => [
  ['id', manifest.id],
  ['task', manifest.task],
  ['sensor', manifest.sensor],
  ['bands', manifest.bands],
  ['classes', manifest.classes],
  ['left out', manifest.ignoreIndex === null ? undefined : `label ${manifest.ignoreIndex}`],
  ['reference', manifest.reference],
  ...sourceFacts(manifest.source),
];

const sourceFacts = ({ package: name, version, licence }: WheelSource): Fact[] => [
  ['source', `${name} ${version}`],
  ['licence', licence],
];

/** Regions and pixels of each split, and what its scores say. */
function splitRows({ splits, scenes, scoredSplits }: SceneDatasetManifest): Record<string, unknown>[] {
  return splits.map((split) => {
    const regions = scenes.flatMap((scene) =>
      scene.regions
        .filter((region) => region.split === split)
        .map(({ columns: [from, to] }) => scene.height * (to - from)),
    );
    const meaning = scoredSplits.find((scored) => scored.split === split)?.meaning ?? 'not scored';
    return {
      split,
      images: regions.length,
      pixels: regions.reduce((sum, pixels) => sum + pixels, 0),
      scores: meaning,
    };
  });
}

/** An encoder variant: what its manifest says. */
export function encoderSheet(manifest: EncoderManifest): Sheet {
  const { weights, features, hyperparameters } = manifest;
  return {
    title: manifest.title,
    facts: [
      ['id', manifest.id],
      ['family', manifest.family],
      ['bands', manifest.bands],
      ['features', features.map(({ channels, stride }) => `${channels} channels at 1/${stride}`)],
      ['numbers', plainNumbers(hyperparameters)],
      ['pre-training', weights.preTraining],
      ['reference', manifest.reference],
      ...sourceFacts(weights.source),
      ['weights', `sha256 ${weights.sha256.slice(0, 12)}…`],
    ],
  };
}

/** `stemChannels 32`, …: hyperparameters that are single values. */
const plainNumbers = (hyperparameters: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(hyperparameters).flatMap(([name, value]) =>
    typeof value === 'object' ? [] : [`${name} ${String(value)}`],
  );

export const protocolSheet = ({ id, title, reference, settings }: ProtocolManifest): Sheet => ({
  title,
  facts: [
    ['id', id],
    ...Object.entries(settings).map(([name, value]): Fact => [name, String(value)]),
    ['reference', reference],
  ],
});
