import type { Fact, Sheet } from '../display/sheet.js';
import type { SceneDatasetManifest } from './scene-manifest.js';
import type { EncoderManifest } from './encoder-manifest.js';
import type { ProtocolManifest } from './protocol-manifest.js';
import type { WheelSource } from './wheel-source.js';

/** Facts of a dataset as studies see it. */
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

/** Where a wheel comes from. */
const sourceFacts = ({ package: name, version, licence }: WheelSource): Fact[] => [
  ['source', `${name} ${version}`],
  ['licence', licence],
];

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
