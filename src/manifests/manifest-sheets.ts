import type { Fact, Sheet } from '../display/sheet.js';
import type { SceneDatasetManifest } from './scene-manifest.js';
import type { EncoderManifest, EncoderWeights } from './encoder-manifest.js';
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

/** Where a checkpoint is to be had. */
function weightFacts({ source, file, sha256, bytes }: EncoderWeights): Fact[] {
  const digest: Fact = ['sha256', sha256 ?? 'not known'];
  if ('wheel' in source) return [...sourceFacts(source), ['weights', file], digest];
  return [
    ['source', source.isGated ? `${source.page} (asks for an account)` : source.page],
    ['licence', source.licence],
    ['weights', bytes === undefined ? file : `${file}, ${(bytes / 1e6).toFixed(0)} MB`],
    digest,
  ];
}

/** An encoder variant: what its manifest says. */
export function encoderSheet(manifest: EncoderManifest): Sheet {
  const { weights, features, hyperparameters } = manifest;
  return {
    title: manifest.title,
    facts: [
      ['id', manifest.id],
      ['family', manifest.family],
      ...Object.entries(manifest.modalities).map(([name, { bands }]): Fact => [
        name,
        bands.length > 0 ? bands : 'any bands',
      ]),
      ['features', features.map(({ channels, stride }) => `${channels} channels at 1/${stride}`)],
      ['numbers', plainNumbers(hyperparameters)],
      ...(manifest.parameters
        ? [['parameters', manifest.parameters.count.toLocaleString('en')] satisfies Fact]
        : []),
      ['pre-training', weights ? weights.preTraining : 'none: random weights'],
      ['reference', manifest.reference],
      ...(weights ? weightFacts(weights) : []),
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
