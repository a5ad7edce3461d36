import type { ModalityManifest, StatisticsManifest } from '../../manifests/dataset-manifest.js';
import type { BandTotals } from '../statistics/band-totals.js';
import { significant } from '../statistics/statistics-sheet.js';
import { bandOrder, bhattacharyya, MANY_SAMPLES, type BandNumbers } from './band-order.js';
import { some, type CheckFinding } from './finding.js';

/** A band beside what the manifest says of it. */
export interface BandComparison {
  readonly modality: string;
  readonly band: string;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** 0 … 1. */
  readonly invalidShare: number;
  readonly statedMean: number | null;
  readonly statedStd: number | null;
  /** By how much the mean may differ; null where nothing is compared. */
  readonly tolerance: number | null;
  /** Null where nothing is compared. */
  readonly agrees: boolean | null;
}

/** What the numbers of a modality were compared with. */
export interface StatisticsBasis {
  readonly modality: string;
  /** Null: the manifest has no numbers that can be compared. */
  readonly source: string | null;
  /** What differs less counts as equal, and why. */
  readonly tolerance: string;
}

export interface StatisticsComparison {
  readonly bands: readonly BandComparison[];
  readonly basis: StatisticsBasis;
  readonly findings: readonly CheckFinding[];
}

/** Standard errors that a mean may be off: chance leaves them in 1 of 16,000 bands. */
const ERRORS = 4;
/** Of the stated spread: sources clip, round, or leave pixels out. */
const SLACK = 0.05;
/** Spreads may differ by this factor, and by more where few samples were read. */
const SPREAD_FACTOR = 1.25;
/** Factor between means that is no matter of brightness: another unit or scale. */
const SCALE_FACTOR = 5;
/** Least distance at which numbers are of another kind: normal distributions that hardly overlap. */
const APART = 1.5;

interface Measured {
  readonly band: string;
  readonly totals: BandTotals;
}

/** Compares the bands of a modality with the manifest: numbers, order, scale, constant and empty bands. */
export function compareStatistics(
  name: string,
  modality: ModalityManifest,
  measured: readonly Measured[],
): StatisticsComparison {
  const source = comparable(modality);
  const rows = measured.map(({ band, totals }) => compareBand(name, modality, source, band, totals));
  const where = (band: string): string => `${name}, band ${band}`;
  const findings: CheckFinding[] = [...bandFindings(rows, modality, where)];
  const sampleCount = Math.max(0, ...measured.map(({ totals }) => totals.sampleCount));
  const outOfOrder = source ? orderFindings(name, modality, rows, sampleCount) : [];
  const otherScale = source ? scaleFindings(name, modality, rows) : [];
  findings.push(...outOfOrder, ...otherScale);
  const differing = rows.filter(({ agrees }) => agrees === false);
  if (differing.length > 0 && outOfOrder.length === 0 && otherScale.length === 0) {
    findings.push({
      severity: 'warning',
      code: 'BAND_STATISTICS',
      message: `Mean or spread of ${some(differing.map(describeDifference))}, beyond the tolerance.`,
      where: name,
      hint: 'Check version and preprocessing of the files; with other samples than the release has, the numbers differ rightly.',
    });
  }
  return { bands: rows, basis: describeBasis(name, source, sampleCount), findings };
}

/** Numbers that were measured over the released files before others. */
function comparable({ statistics }: ModalityManifest): StatisticsManifest | undefined {
  const usable = statistics.filter(
    ({ mean, std, isComparable }) => mean !== null && std !== null && isComparable,
  );
  return usable.find(({ source }) => source.includes('measured')) ?? usable[0];
}

function compareBand(
  modality: string,
  { bands }: ModalityManifest,
  source: StatisticsManifest | undefined,
  band: string,
  totals: BandTotals,
): BandComparison {
  const { mean, std, min, max, invalidShare } = totals.summary(band);
  const place = bands.findIndex(({ id }) => id === band);
  const statedMean = source?.mean?.[place] ?? null;
  const statedStd = source?.std?.[place] ?? null;
  const row = { modality, band, mean, std, min, max, invalidShare, statedMean, statedStd };
  if (mean === null || std === null || statedMean === null || statedStd === null || statedStd <= 0)
    return { ...row, tolerance: null, agrees: null };
  const count = totals.sampleCount;
  const isFew = count < MANY_SAMPLES;
  const error = totals.standardError ?? 0;
  // few samples say little of how samples differ: the stated spread is the safer guess, and their own is rightly smaller
  const tolerance =
    ERRORS * (isFew ? Math.max(error, statedStd / Math.sqrt(count)) : error) + SLACK * statedStd;
  const factor = spreadFactor(count);
  const ratio = std / statedStd;
  const agrees =
    Math.abs(mean - statedMean) <= tolerance && ratio <= factor && (isFew || ratio >= 1 / factor);
  return { ...row, tolerance, agrees };
}

const spreadFactor = (count: number): number => SPREAD_FACTOR + ERRORS / Math.sqrt(2 * Math.max(1, count));

const describeDifference = ({ band, mean, std, statedMean, statedStd }: BandComparison): string =>
  `${band} (${significant(mean)} ± ${significant(std)}, stated ${significant(statedMean)} ± ${significant(statedStd)})`;

function describeBasis(
  modality: string,
  source: StatisticsManifest | undefined,
  count: number,
): StatisticsBasis {
  if (!source)
    return { modality, source: null, tolerance: 'nothing is compared: the manifest has no mean and spread' };
  const isFew = count < MANY_SAMPLES;
  const errors = isFew
    ? `the stated spread divided by √${count}, since ${count} samples say little of how samples differ`
    : `${count} sample means (samples, not pixels, are counted: pixels of one sample are alike)`;
  return {
    modality,
    source: source.source,
    tolerance:
      `a mean: ${ERRORS} standard errors of ${errors}, and ${100 * SLACK} % of the stated spread, since sources clip and leave out; ` +
      `a spread: a factor of ${spreadFactor(count).toFixed(2)}${isFew ? ' upwards' : ''}`,
  };
}

function bandFindings(
  rows: readonly BandComparison[],
  modality: ModalityManifest,
  where: (band: string) => string,
): CheckFinding[] {
  return rows.flatMap((row): CheckFinding[] => {
    const { band, mean, std, min, max, invalidShare, statedStd } = row;
    if (mean === null) {
      return [
        {
          severity: 'error',
          code: 'BAND_EMPTY',
          message: `No pixel of ${band} has a value in the samples that were read.`,
          where: where(band),
          hint: 'Fetch the files again; if the release has it so, leave the band out.',
        },
      ];
    }
    const isAuxiliary = modality.bands.find(({ id }) => id === band)?.isAuxiliary ?? false;
    if (std === 0 && !isAuxiliary) {
      return [
        {
          severity: statedStd !== null && statedStd > 0 ? 'error' : 'warning',
          code: 'BAND_CONSTANT',
          message: `Every pixel of ${band} is ${significant(mean)}.`,
          where: where(band),
          hint: 'Nothing can be learnt from it: fetch the files again, or leave the band out.',
        },
      ];
    }
    const findings: CheckFinding[] = [];
    if (invalidShare > 0.5) {
      findings.push({
        severity: 'warning',
        code: 'BAND_MOSTLY_INVALID',
        message: `${(100 * invalidShare).toFixed(1)} % of the pixels of ${band} have no value.`,
        where: where(band),
        hint: 'Check the no-data value of the files against "invalidValues" in the manifest.',
      });
    }
    const { range } = modality;
    if (range && std !== null && (mean < range[0] - 2 * std || mean > range[1] + 2 * std)) {
      findings.push({
        severity: 'warning',
        code: 'BAND_RANGE',
        message: `${band} lies between ${significant(min)} and ${significant(max)}, the manifest says ${range[0]} … ${range[1]}.`,
        where: where(band),
        hint: `The manifest expects ${modality.unit}.`,
      });
    }
    return findings;
  });
}

interface Compared extends BandComparison {
  readonly mean: number;
  readonly std: number;
  readonly statedMean: number;
  readonly statedStd: number;
}

const compared = (rows: readonly BandComparison[]): Compared[] =>
  rows.filter((row): row is Compared => row.agrees !== null);
const found = ({ mean, std }: Compared): BandNumbers => ({ mean, std });
const stated = ({ statedMean, statedStd }: Compared): BandNumbers => ({ mean: statedMean, std: statedStd });

function orderFindings(
  modality: string,
  { bands }: ModalityManifest,
  rows: readonly BandComparison[],
  sampleCount: number,
): CheckFinding[] {
  const usable = compared(rows);
  const wavelengthsNm = usable.map(({ band }) => bands.find(({ id }) => id === band)?.wavelengthNm ?? null);
  const { misplaced, isSure } = bandOrder(usable.map(found), usable.map(stated), {
    sampleCount,
    wavelengthsNm,
  });
  if (misplaced.length === 0) return [];
  const placeOf = (row: Compared): number => rows.indexOf(row) + 1;
  const described = misplaced.map(({ place, looksLike }) => {
    const [band, other] = [usable[place]!, usable[looksLike]!];
    return `band ${placeOf(band)} (${band.band}) looks like the manifest's band ${placeOf(other)} (${other.band})`;
  });
  const isSwap = misplaced.length === 2;
  const names = misplaced.map(({ place }) => usable[place]!.band);
  const verb = isSure ? 'are' : 'may be';
  return [
    {
      severity: isSure ? 'error' : 'warning',
      code: 'BAND_ORDER',
      message: `${isSwap ? `${names.join(' and ')} ${verb} exchanged` : 'Bands stand in another order'}: ${described.join('; ')}.`,
      where: modality,
      hint: isSure
        ? 'By their numbers, see the table. Read the bands in the order of the files: correct "bands" in the manifest, or the files.'
        : `By their numbers, see the table; of ${sampleCount} samples it may be chance: read more of them.`,
    },
  ];
}

/** All means off by one factor, or numbers of another kind, such as linear power for dB. */
function scaleFindings(
  modality: string,
  { unit }: ModalityManifest,
  rows: readonly BandComparison[],
): CheckFinding[] {
  const usable = compared(rows);
  const other = usable.filter((row) => bhattacharyya(found(row), stated(row)) > APART);
  if (usable.length === 0 || other.length <= usable.length / 2) return [];
  const ratios = usable.map(({ mean, statedMean }) => mean / statedMean).sort((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)]!;
  const isFactor =
    ratio > 0 && ratios.every((one) => one / ratio > 1 / SCALE_FACTOR && one / ratio < SCALE_FACTOR);
  const isLinear = usable.every(({ mean, statedMean }) => statedMean < 0 && mean >= 0);
  const what =
    isFactor && (ratio > SCALE_FACTOR || ratio < 1 / SCALE_FACTOR)
      ? `Values are about ${significant(Number(ratio.toPrecision(2)))} times those of the manifest`
      : isLinear
        ? 'Values are positive where the manifest has negative ones, as linear power is to dB'
        : 'Values are of another kind than those of the manifest';
  return [
    {
      severity: 'error',
      code: 'BAND_SCALE',
      message: `${what}: ${some(other.map(describeDifference))}.`,
      where: modality,
      hint: `The manifest expects ${unit}: the files were converted, or are of another version.`,
    },
  ];
}
