import type { DatasetManifest } from '../../manifests/dataset-manifest.js';
import type { ClassCount } from '../statistics/label-totals.js';
import { type LabelTotals } from '../statistics/label-totals.js';
import { some, type CheckFinding } from './finding.js';

/** Of a share, 0 … 1: less is no matter. */
const LEAST_DIFFERENCE = 0.05;
const ERRORS = 4;
/** Fewer say nothing of shares. */
const LEAST_SAMPLES = 8;

/** Labels of one split against the classes of the manifest. @param isCompared shares and rare classes are told of one split */
export function labelFindings(
  { classes, labels, task }: DatasetManifest,
  totals: LabelTotals,
  split: string,
  sampleCount: number,
  isCompared: boolean,
): CheckFinding[] {
  const findings: CheckFinding[] = [];
  const { outside } = totals;
  if (outside.length > 0) {
    findings.push({
      severity: 'error',
      code: 'LABEL_OUTSIDE',
      message: `Labels that are no class: ${some(outside.map(({ label, count }) => `${label} (${count} ${totals.counted})`))}.`,
      where: split,
      hint: `The classes are 0 … ${classes.length - 1}: the labels are of another version, or "labels" in the manifest lacks a rule.`,
    });
  }
  const counts = totals.classes();
  if (isCompared && sampleCount >= LEAST_SAMPLES)
    findings.push(...shareFindings(classes, counts, totals, split));
  // objects are never of the background
  const isSought = ({ name, index }: ClassCount): boolean =>
    !labels.voidClasses.includes(index) && !(totals.counted === 'objects' && /^background$/i.test(name));
  const absent = counts.filter((one) => one.count === 0 && isSought(one));
  if (absent.length > 0 && sampleCount > 0 && (isCompared || absent.length === counts.length)) {
    findings.push({
      severity: absent.length === counts.length ? 'error' : 'note',
      code: 'CLASS_ABSENT',
      message:
        absent.length === counts.length
          ? 'No class occurs in the samples that were read.'
          : `${absent.length} of ${counts.length} classes do not occur: ${some(absent.map(({ name }) => name))}.`,
      where: `${split}, ${sampleCount} samples read`,
      hint:
        absent.length === counts.length
          ? 'The labels are empty: fetch them again.'
          : 'Rare classes show only when more samples are read (--all).',
    });
  }
  if (task !== 'regression' && totals.unlabelledShare > 0.999) {
    findings.push({
      severity: 'warning',
      code: 'UNLABELLED',
      message: `${(100 * totals.unlabelledShare).toFixed(2)} % of the pixels have no label.`,
      where: split,
      hint: 'Where the release has it so, nothing is to be done.',
    });
  }
  return findings;
}

function shareFindings(
  classes: DatasetManifest['classes'],
  counts: readonly ClassCount[],
  totals: LabelTotals,
  split: string,
): CheckFinding[] {
  const different = counts.flatMap(({ index, name, share }) => {
    const stated = classes[index]!.share;
    if (stated === null || stated === 0 || share === null) return [];
    const error = totals.standardError(index);
    const tolerance = error === null ? Infinity : Math.max(LEAST_DIFFERENCE, ERRORS * error);
    const isFar = Math.abs(share - stated) > tolerance;
    return isFar ? [`${name} ${percent(share)} (stated ${percent(stated)})`] : [];
  });
  if (different.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'CLASS_SHARES',
      message: `Shares of classes differ from the manifest's: ${some(different)}.`,
      where: split,
      hint: `Differences above 5 % and ${ERRORS} standard errors over samples are told. Check that labels and split are those of the release.`,
    },
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
