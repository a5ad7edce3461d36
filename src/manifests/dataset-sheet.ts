import type { Fact, Sheet } from '../display/sheet.js';
import type { DatasetManifest, ModalityManifest } from './dataset-manifest.js';

/** A dataset before it is opened: what its manifest says. */
export function datasetSheet(manifest: DatasetManifest): Sheet {
  const { card, labels, layout, release } = manifest;
  const facts: Fact[] = [
    ['id', manifest.id],
    ['benchmark', manifest.benchmark],
    ['task', manifest.task],
    ['predicted', card.predicted],
    ['from', card.from],
    ['counted', card.counted],
    ['image', imageFact(manifest)],
    ['classes', manifest.classes.map(({ name }) => name)],
    ['no label', labels.ignoreIndex],
    ['layout', layout.summary],
    ['to be had', release.access],
    ['licence', manifest.licence],
    ['homepage', manifest.homepage],
    ['citation', manifest.citation],
    ['other names', manifest.aliases.length > 0 ? manifest.aliases : undefined],
  ];
  const tables = [
    { rows: splitRows(manifest) },
    { rows: bandRows(manifest.modalities) },
    { rows: manifest.faults.map(faultRow) },
  ];
  return {
    title: manifest.title,
    facts,
    tables: tables.filter(({ rows }) => rows.length > 0),
    notes: manifest.notes,
  };
}

/** A dataset in a list of its kind. */
export const datasetRow = ({
  id,
  benchmark,
  task,
  modalities,
  classes,
  splits,
  licence,
}: DatasetManifest): object => ({
  id,
  benchmark,
  task,
  sensors: [...new Set(Object.values(modalities).map(({ sensor }) => sensor))].join(', '),
  bands: Object.values(modalities).reduce((sum, { bands }) => sum + bands.length, 0),
  classes: classes.length,
  samples: sampleCounts(splits),
  licence,
});

/** `486 / 54 / 264`: samples of the splits in their order; `?` where never published. */
const sampleCounts = (splits: DatasetManifest['splits']): string =>
  Object.values(splits)
    .map(({ count }) => count ?? '?')
    .join(' / ');

function imageFact({ imageSize, gsdM }: DatasetManifest): string {
  const size = imageSize ? `${imageSize[0]} × ${imageSize[1]} px` : 'of several sizes';
  return gsdM === null ? size : `${size}, ${gsdM} m`;
}

const splitRows = ({ splits }: DatasetManifest): object[] =>
  Object.entries(splits).map(([split, { count, otherCounts, rule, scored }]) => ({
    split,
    samples: count,
    'other counts': otherCounts.map((other) => `${other.count} (${other.source})`).join('; '),
    rule,
    ...(scored !== null && { scores: scored }),
  }));

/** Bands of a modality; a long cube is one row. */
const bandRows = (modalities: DatasetManifest['modalities']): object[] =>
  Object.entries(modalities).flatMap(([modality, { sensor, unit, bands, statistics }]) => {
    const shown = new Set(bands.map(({ stored }) => stored)).size === 1 ? bands.slice(0, 1) : bands;
    return shown.map((band, index) => ({
      modality,
      sensor,
      band: shown.length < bands.length ? `${bands.length} channels` : band.id,
      stored: band.stored,
      'taken for': band.reference === band.id ? '' : band.reference,
      'wavelength nm': band.wavelengthNm,
      'GSD m': band.gsdM,
      mean: firstOf(statistics, 'mean', index),
      std: firstOf(statistics, 'std', index),
      unit,
    }));
  });

/** Of the first source that has it. */
const firstOf = (
  statistics: ModalityManifest['statistics'],
  key: 'mean' | 'std',
  band: number,
): number | null => statistics.find((source) => source[key])?.[key]?.[band] ?? null;

const faultRow = ({
  id,
  asPublished,
  corrected,
  isSwitchable,
}: DatasetManifest['faults'][number]): object => ({
  fault: id,
  'as published': asPublished,
  corrected,
  switch: isSwitchable,
});
