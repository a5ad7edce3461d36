import type { MimeBundle } from '../../display/mime.js';
import { sheetBundle, type Fact, type Sheet } from '../../display/sheet.js';
import { formatNumber } from '../../display/numbers.js';
import type { BandSummary } from './band-totals.js';
import type { DatasetStatistics } from './dataset-statistics.js';
import type { DamagedSample } from './walk-samples.js';

/** Measured numbers of a split, as tables. */
export const statisticsBundle = (statistics: DatasetStatistics): MimeBundle =>
  sheetBundle(statisticsSheet(statistics));

export function statisticsSheet(statistics: DatasetStatistics): Sheet {
  const { dataset, split, mode, samples, classes, counted, unlabelledShare, values } = statistics;
  const bands = Object.entries(statistics.bands).flatMap(([modality, own]) =>
    own.map((band) => ({ modality, ...bandRow(band) })),
  );
  const facts: Fact[] = [
    ['split', split],
    ['mode', mode],
    ['samples', samplesFact(samples)],
    [
      'without a label',
      counted === 'pixels' ? `${formatNumber(100 * unlabelledShare, 1)} % of the pixels` : undefined,
    ],
  ];
  const rough = Object.values(statistics.bands)
    .flat()
    .some(({ isExact }) => !isExact);
  return {
    title: `Statistics of ${dataset}`,
    facts,
    tables: [
      { rows: bands, maximumRows: 60 },
      { rows: values ? [bandRow(values)] : [], maximumRows: 1 },
      {
        rows: classes.map(({ index, name, count, share, samples: inSamples }) => ({
          label: `${index}`,
          class: name,
          [counted]: count,
          '%': share === null ? null : 100 * share,
          ...(counted !== 'samples' && { 'in samples': inSamples }),
        })),
        maximumRows: 200,
      },
    ].filter(({ rows }) => rows.length > 0),
    notes: [
      ...(rough ? ['Percentiles of bands with many different values are at most 0.1 % off.'] : []),
      ...damagedNotes(samples.damaged),
    ],
  };
}

const bandRow = ({ band, count, mean, std, min, max, percentiles, invalidShare }: BandSummary): object => ({
  band,
  mean: significant(mean),
  std: significant(std),
  min: significant(min),
  '1 %': significant(percentiles?.['1'] ?? null),
  '2 %': significant(percentiles?.['2'] ?? null),
  '98 %': significant(percentiles?.['98'] ?? null),
  '99 %': significant(percentiles?.['99'] ?? null),
  max: significant(max),
  'without value %': 100 * invalidShare,
  pixels: count,
});

/** Five digits: bands of one table differ by orders of magnitude. */
export function significant(value: number | null): string | null {
  if (value === null) return null;
  const text = String(Number(value.toPrecision(5)));
  return text.startsWith('-') ? `−${text.slice(1)}` : text;
}

const samplesFact = ({ listed, read, damaged }: DatasetStatistics['samples']): string =>
  `${read} of ${listed} read${damaged.length > 0 ? `, ${damaged.length} cannot be` : ''}`;

/** Damaged samples that a note names. */
const SHOWN = 10;

export function damagedNotes(damaged: readonly DamagedSample[]): string[] {
  const lines = damaged
    .slice(0, SHOWN)
    .map(({ sample, code, message, where }) => `${sample} cannot be read: ${code}: ${message} ${where}`);
  return damaged.length > SHOWN ? [...lines, `… and ${damaged.length - SHOWN} more`] : lines;
}
