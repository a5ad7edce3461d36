import { cellSignal } from '../../display/kernel-link.js';
import { showAs } from '../../display/showable.js';
import { errorData, GondwanaError, StoppedError, UsageError } from '../../errors.js';
import type { Dataset, Entry } from '../dataset.js';
import type { Mode } from '../faults.js';
import { defaultSplit, ImageTotals } from '../statistics/dataset-statistics.js';
import { LabelTotals, type ClassCount } from '../statistics/label-totals.js';
import { spreadEntries, walkSamples, type SampleRange } from '../statistics/walk-samples.js';
import { missingFiles, releaseFindings } from './check-files.js';
import { ImageForms } from './check-images.js';
import { labelFindings } from './check-labels.js';
import { checkBundle } from './check-sheet.js';
import { compareStatistics, type BandComparison, type StatisticsBasis } from './compare-statistics.js';
import { bySeverity, counted, type CheckFinding } from './finding.js';
import { compareLists, SeenSamples } from './split-overlap.js';

/** Samples of a split that are read unless a caller says otherwise. */
export const CHECK_LIMIT = 100;

export interface CheckOptions extends SampleRange {
  /** Default: all splits of the manifest. */
  readonly split?: string;
}

/** What was found of one split. */
export interface CheckedSplit {
  readonly split: string;
  /** Samples that the folder lists; null where its list cannot be read. */
  readonly listed: number | null;
  /** Official count; null: never published. */
  readonly official: number | null;
  readonly read: number;
  readonly damaged: number;
}

/** A folder compared with its dataset's manifest. */
export interface DatasetCheck {
  readonly dataset: string;
  readonly root: string;
  readonly mode: Mode;
  readonly faults: Readonly<Record<string, boolean>>;
  /** sha256 of the manifest that was compared with. */
  readonly manifestHash: string;
  /** No finding is an error. */
  readonly isFine: boolean;
  /** Errors first. */
  readonly findings: readonly CheckFinding[];
  readonly splits: readonly CheckedSplit[];
  /** Whether every sample was read; else samples spread evenly over each split. */
  readonly isWhole: boolean;
  /** Files that lists name and that were looked for; samples of containers and folders show when they are read. */
  readonly filesNamed: number;
  readonly images: readonly {
    readonly modality: string;
    readonly samples: number;
    readonly size: string;
    readonly times: string;
    readonly stored: string;
  }[];
  /** Over the split that `comparedSplit` names. */
  readonly bands: readonly BandComparison[];
  readonly classes: readonly ClassCount[];
  readonly comparedSplit: string;
  readonly basis: readonly StatisticsBasis[];
}

/**
 * Compares a folder with its dataset's manifest: files, counts of the splits, shapes, number types, bands and their order,
 * numbers of the bands over the pixels that count, labels and shares of classes, damaged files, and samples that two splits
 * share. Goes on after a sample that cannot be read and lists them all. One sample is held at a time.
 * @param dataset an open one: its mode and faults apply. Default limit: 100 samples a split, spread evenly over its list;
 *   with `all` also the sha256 of the release's files is compared
 * @throws UsageError SPLIT_UNKNOWN, OPTION_VALUE; StoppedError. What is wrong with the data is a finding
 */
export async function checkDataset(dataset: Dataset, options: CheckOptions = {}): Promise<DatasetCheck> {
  const signal = cellSignal(options.signal);
  const { manifest } = dataset;
  const limit = options.limit ?? CHECK_LIMIT;
  spreadEntries([], limit); // a wrong limit is told before anything is read
  const findings: CheckFinding[] = [];
  const names = options.split === undefined ? Object.keys(manifest.splits) : [options.split];
  const lists = await readLists(dataset, names, findings);
  const { files, findings: missing } = missingFiles(dataset, lists);
  const overlaps = compareLists(lists);
  findings.push(...overlaps.findings, ...missing);

  const compared = lists.has(defaultSplit(dataset)) ? defaultSplit(dataset) : names[0]!;
  const forms = new ImageForms();
  const seen = new SeenSamples(overlaps.shared);
  const numbers = new ImageTotals(false);
  let comparedLabels: LabelTotals | undefined;
  const splits: CheckedSplit[] = [];
  const counts = [...lists].map(([, entries]) => spreadEntries(entries, limit).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const split of names) {
    const entries = lists.get(split);
    const official = manifest.splits[split]?.count ?? null;
    if (!entries) {
      splits.push({ split, listed: null, official, read: 0, damaged: 0 });
      continue;
    }
    const chosen = spreadEntries(entries, limit);
    const labels = new LabelTotals(manifest, false);
    let damaged = 0;
    const report = (share: number, what: string): void =>
      options.onProgress?.((done + share * chosen.length) / Math.max(1, total), what);
    for await (const step of walkSamples(dataset, split, chosen, {
      onProgress: report,
      ...(signal && { signal }),
    })) {
      if (step.damaged) {
        damaged++;
        const { code, message, where, hint, sample } = step.damaged;
        findings.push({
          severity: 'error',
          code,
          message,
          where: where || `${split}, sample ${sample}`,
          hint,
        });
        continue;
      }
      forms.add(step.sample);
      seen.add(step.sample);
      labels.add(step.sample.target);
      if (split === compared)
        for (const [modality, image] of Object.entries(step.sample.images)) numbers.add(modality, image);
    }
    done += chosen.length;
    const read = chosen.length - damaged;
    splits.push({ split, listed: entries.length, official, read, damaged });
    findings.push(...labelFindings(manifest, labels, split, read, split === compared));
    if (split === compared) comparedLabels = labels;
  }
  findings.push(...forms.findings(manifest), ...seen.findings());
  const comparisons = Object.entries(manifest.modalities).flatMap(([name, modality]) => {
    const measured = numbers.of(name);
    return measured.length === 0 ? [] : [compareStatistics(name, modality, measured)];
  });
  findings.push(...comparisons.flatMap((comparison) => comparison.findings));
  if (limit === 'all')
    findings.push(
      ...(await releaseFindings(dataset, signal, (name) => options.onProgress?.(1, `sha256 of ${name}`))),
    );
  options.onProgress?.(1, 'checked');

  const found: DatasetCheck = {
    dataset: manifest.id,
    root: dataset.root,
    mode: dataset.mode,
    faults: dataset.faults,
    manifestHash: manifest.hash,
    isFine: !findings.some(({ severity }) => severity === 'error'),
    findings: bySeverity(findings),
    splits,
    isWhole: splits.every(({ listed, read, damaged }) => listed === read + damaged),
    filesNamed: files,
    images: forms.rows(),
    bands: comparisons.flatMap(({ bands }) => bands),
    classes: comparedLabels?.classes() ?? [],
    comparedSplit: compared,
    basis: comparisons.map(({ basis }) => basis),
  };
  return showAs(found, { bundle: checkBundle });
}

/** Lists of the splits; one that cannot be read, is empty, or has another length than published is a finding. */
async function readLists(
  dataset: Dataset,
  names: readonly string[],
  findings: CheckFinding[],
): Promise<Map<string, readonly Entry[]>> {
  const { manifest } = dataset;
  const lists = new Map<string, readonly Entry[]>();
  for (const split of names) {
    try {
      const entries = await dataset.entries(split);
      lists.set(split, entries);
      findings.push(...countFindings(split, entries.length, manifest.splits[split]));
    } catch (error) {
      if (!(error instanceof GondwanaError) || error instanceof UsageError || error instanceof StoppedError)
        throw error;
      const { code, message, where, hint } = errorData(error);
      findings.push({ severity: 'error', code, message, where: where || split, hint });
    }
  }
  return lists;
}

function countFindings(
  split: string,
  count: number,
  stated:
    | { readonly count: number | null; readonly otherCounts: readonly { count: number; source: string }[] }
    | undefined,
): CheckFinding[] {
  if (count === 0) {
    return [
      {
        severity: 'error',
        code: 'EMPTY_SPLIT',
        message: `The split "${split}" has no samples.`,
        where: split,
        hint: 'Its files or its list are missing: unpack the release again.',
      },
    ];
  }
  const official = stated?.count ?? null;
  if (official === null || count === official) return [];
  const other = stated!.otherCounts.find((one) => one.count === count);
  if (other) {
    return [
      {
        severity: 'note',
        code: 'SPLIT_COUNT',
        message: `${counted(count, 'sample')}; the official count is ${official}, and ${other.source} has ${count}.`,
        where: split,
        hint: 'Say which when you publish scores.',
      },
    ];
  }
  return [
    {
      severity: 'error',
      code: 'SPLIT_COUNT',
      message: `${counted(count, 'sample')}; the official count is ${official}.`,
      where: split,
      hint:
        count < official
          ? 'Files or lines of the list are missing: scores cannot be compared with published ones.'
          : 'There is more than the release has: scores cannot be compared with published ones.',
    },
  ];
}
