import type { MimeBundle } from '../../display/mime.js';
import { sheetBundle, type Fact, type Sheet } from '../../display/sheet.js';
import { significant } from '../statistics/statistics-sheet.js';
import type { DatasetCheck } from './check-dataset.js';

/** A check as tables: findings first. */
export const checkBundle = (check: DatasetCheck): MimeBundle => sheetBundle(checkSheet(check));

export function checkSheet(check: DatasetCheck): Sheet {
  const { dataset, root, mode, faults, findings, splits, basis, isFine, isWhole, comparedSplit } = check;
  const on = Object.keys(faults).filter((id) => faults[id]);
  const count = (severity: string): string => {
    const found = findings.filter((finding) => finding.severity === severity).length;
    return `${found} ${severity}${found === 1 ? '' : 's'}`;
  };
  const facts: Fact[] = [
    ['folder', root],
    ['mode', mode],
    ['faults that are on', on.length > 0 ? on : undefined],
    ['found', `${count('error')}, ${count('warning')}, ${count('note')}`],
    ['read', isWhole ? 'every sample' : 'samples spread evenly over each split (--all reads every one)'],
  ];
  return {
    title: `${dataset}: ${isFine ? 'no errors' : 'errors were found'}`,
    facts,
    tables: [
      { rows: findings, columns: ['severity', 'code', 'where', 'message', 'hint'], maximumRows: 200 },
      { rows: splits },
      { rows: check.images },
      { rows: bandRows(check), caption: `Bands over ${comparedSplit}`, maximumRows: 60 },
      { rows: classRows(check), caption: `Classes over ${comparedSplit}`, maximumRows: 200 },
    ].filter(({ rows }) => rows.length > 0),
    notes: basis.map(({ modality, source, tolerance }) =>
      source === null
        ? `${modality}: ${tolerance}.`
        : `${modality} is compared with: ${source}. Tolerance: ${tolerance}.`,
    ),
  };
}

/** The same for a terminal: findings as blocks, which no window cuts. */
export function checkText(check: DatasetCheck): {
  readonly sheet: Sheet;
  readonly findings: readonly string[];
} {
  const { tables = [], ...rest } = checkSheet(check);
  const lines = check.findings.map(
    ({ severity, code, message, where, hint }) =>
      `${severity} ${code}: ${message}\n  where: ${where}\n  to do: ${hint}`,
  );
  return { sheet: { ...rest, tables: tables.slice(check.findings.length > 0 ? 1 : 0) }, findings: lines };
}

function bandRows({ bands }: DatasetCheck): object[] {
  return bands.map(
    ({ modality, band, mean, std, min, max, invalidShare, statedMean, statedStd, tolerance, agrees }) => ({
      modality,
      band,
      mean: significant(mean),
      stated: significant(statedMean),
      '±': significant(tolerance),
      std: significant(std),
      'stated std': significant(statedStd),
      min: significant(min),
      max: significant(max),
      'without value %': 100 * invalidShare,
      agrees: agrees === null ? null : agrees ? 'yes' : 'no',
    }),
  );
}

function classRows({ classes }: DatasetCheck): object[] {
  return classes.map(({ index, name, count, share, samples }) => ({
    label: `${index}`,
    class: name,
    count,
    '%': share === null ? null : 100 * share,
    'in samples': samples,
  }));
}
