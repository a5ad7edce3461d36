import type { Fact, Sheet } from '../display/sheet.js';
import type { DatasetManifest } from './dataset-manifest.js';
import { defaultStatistics } from './default-statistics.js';

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
    ['labels', labelFact(manifest)],
    ['metrics', manifest.metrics.length > 0 ? manifest.metrics : undefined],
    ...Object.entries(manifest.sampling).map(([what, how]): Fact => [what, how]),
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
    { rows: storedRows(manifest.modalities) },
    { rows: statisticsRows(manifest.modalities) },
    { rows: parameterRows(manifest.parameters) },
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
      mean: defaultStatistics(statistics, 'mean')?.mean?.[index] ?? null,
      std: defaultStatistics(statistics, 'std')?.std?.[index] ?? null,
      unit,
    }));
  });

/** How stored values are to be read, of modalities where there is something to say. */
const storedRows = (modalities: DatasetManifest['modalities']): object[] =>
  Object.entries(modalities).flatMap(
    ([modality, { scale, range, invalidValues, referenceFill, timeSteps }]) =>
      scale === 1 && range === null && invalidValues.length === 0 && timeSteps === 1
        ? []
        : {
            modality,
            'times a sample': timeSteps ?? 'vary',
            ...(scale !== 1 && { 'times this is the unit': scale }),
            'stored values': range && `${range[0]} … ${range[1]}`,
            'no value': ['NaN', ...invalidValues].join(', '),
            'reference writes there': referenceFill,
          },
  );

const QUANTITIES = ['mean', 'std', 'min', 'max', 'percentiles'] as const;

const statisticsRows = (modalities: DatasetManifest['modalities']): object[] =>
  Object.entries(modalities).flatMap(([modality, { statistics }]) =>
    statistics.map((entry) => ({
      modality,
      'source of statistics': entry.source,
      has: QUANTITIES.filter((quantity) => entry[quantity] !== null).join(', '),
      'normalises by default': defaultStatistics(statistics, 'mean') === entry ? 'yes' : '',
      caution: entry.caution ?? '',
    })),
  );

const parameterRows = (parameters: DatasetManifest['parameters']): object[] =>
  Object.entries(parameters).map(([parameter, { meaning, default: value }]) => ({
    parameter,
    meaning,
    default: shortened(JSON.stringify(value)),
  }));

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** What becomes of stored labels, in words; undefined: they are classes as they stand. */
function labelFact({ labels, classes }: DatasetManifest): string | undefined {
  const { map, offset = 0, others, voidClasses } = labels;
  const named = (label: number): string => {
    const known = classes[label];
    return known ? `${label} (${known.name})` : String(label);
  };
  const changed = Object.entries(map ?? {}).filter(([stored, label]) => Number(stored) !== label);
  const rules = [
    changed.length > 0 && `stored ${changed.map(([stored, label]) => `${stored} → ${label}`).join(', ')}`,
    offset !== 0 && `stored labels ${offset > 0 ? '+' : '−'} ${Math.abs(offset)}`,
    others !== undefined && `all others → ${others}`,
    voidClasses.length > 0 &&
      `no label by their meaning, though the reference scores them: ${voidClasses.map(named).join(', ')}`,
  ];
  return rules.filter(Boolean).join('; ') || undefined;
}

const faultRow = ({
  id,
  asPublished,
  corrected,
  isSwitchable,
}: DatasetManifest['faults'][number]): object => ({
  fault: id,
  'as published': asPublished,
  corrected,
  switch: isSwitchable ? 'yes' : 'no',
});
