import { listed } from '../../display/words.js';
import { InputError, UsageError } from '../../errors.js';
import { createRandom } from '../../random.js';
import type { Dataset, Entry } from '../dataset.js';
import type { Sample, Target } from '../sample.js';
import { stratifiedFraction } from './fraction.js';
import {
  classShares,
  meanBins,
  publishedRegressionSubset,
  publishedSegmentationSubset,
  shareBins,
} from './published-subset.js';

export interface TrainSubsetOptions {
  /** Above 0, at most 1. */
  readonly fraction: number;
  /**
   * `published` is the benchmark's own rule, `exact` takes exactly the fraction, with classes or combinations of class
   * shares in their shares, nested for one seed. Default: by the dataset's mode.
   */
  readonly rule?: 'published' | 'exact';
  /** Of `exact`. Default 0. */
  readonly seed?: number;
  /** Split to take from. Default `train`. */
  readonly split?: string;
  /** Told of classes by name that the whole split has and the share has not. */
  readonly onEmptied?: (classes: readonly string[]) => void;
}

/**
 * A share of a training split. Reads the targets of the whole split once.
 * @throws InputError FRACTION_EMPTIES_CLASS where the share has no sample of a class of a classification, or of several
 * classes one alone; UsageError FRACTION_INVALID; SUBSET_UNPUBLISHED where the benchmark has no rule that can be run: the lists of
 * GEO-Bench are chosen by the parameter `partition` when the dataset is opened
 */
export async function trainSubset(dataset: Dataset, options: TrainSubsetOptions): Promise<readonly Entry[]> {
  const { fraction, seed = 0, split = 'train' } = options;
  const rule = options.rule ?? (dataset.mode === 'as-published' ? 'published' : 'exact');
  const entries = await dataset.entries(split);
  if (fraction === 1) return entries;
  if (rule === 'published' && dataset.manifest.benchmark !== 'pangaea') throw unpublished(dataset);
  const summaries: Summary[] = [];
  for await (const sample of dataset.samples(split)) summaries.push(summarize(sample, dataset));
  const places =
    rule === 'published'
      ? publishedPlaces(summaries, fraction, dataset)
      : exactPlaces(summaries, fraction, seed, dataset);
  const emptied = emptiedClasses(summaries, places, dataset);
  if (rule === 'exact') requireClasses(emptied, places.length, fraction, dataset, split);
  if (emptied.length > 0) options.onEmptied?.(emptied);
  return places.map((place) => entries[place]!);
}

/** Classes, by name, that some sample has and none of those at these places. */
function emptiedClasses(
  summaries: readonly Summary[],
  places: readonly number[],
  { manifest }: Dataset,
): string[] {
  const classesOf = (some: readonly Summary[]): Set<number> =>
    new Set(some.flatMap(({ classes }) => classes));
  const left = classesOf(places.map((place) => summaries[place]!));
  return [...classesOf(summaries)]
    .filter((index) => !left.has(index))
    .sort((a, b) => a - b)
    .map((index) => manifest.classes[index]?.name ?? `class ${index}`);
}

/** @throws InputError FRACTION_EMPTIES_CLASS */
function requireClasses(
  emptied: readonly string[],
  count: number,
  fraction: number,
  { id, manifest, root }: Dataset,
  split: string,
): void {
  const isAnswer = manifest.task === 'classification';
  const isOneLeft = emptied.length > 0 && emptied.length >= manifest.classes.length - 1;
  if (emptied.length === 0 || !(isAnswer || isOneLeft)) return;
  const samples = `${count} sample${count === 1 ? '' : 's'}`;
  throw new InputError(
    'FRACTION_EMPTIES_CLASS',
    `The share ${fraction} of the split "${split}" is ${samples}, without ${listed(emptied)}.`,
    { where: `dataset ${id}, ${root}`, hint: 'Take a larger share: what no sample shows cannot be learned.' },
  );
}

/** What a subset needs to know of a sample. */
interface Summary {
  /** That it shows, by index. */
  readonly classes: readonly number[];
  /** Class, or combination of classes or of their shares. */
  readonly group: string;
  /** Of a mask: −1 … 2 a class. */
  readonly bins: readonly number[];
  /** Of a regression. */
  readonly mean: number;
}

function summarize({ target }: Sample, { manifest }: Dataset): Summary {
  const none = { group: '', bins: [], mean: 0, classes: [] };
  switch (target.kind) {
    case 'class':
      return { ...none, group: String(target.label), classes: [target.label] };
    case 'classes':
      return { ...none, group: target.labels.join(), classes: target.labels };
    case 'mask': {
      const { ignoreIndex } = manifest.labels;
      const bins = shareBins(classShares(target.labels.data, manifest.classes.length, ignoreIndex));
      const classes = bins.flatMap((bin, index) => (bin >= 0 ? [index] : []));
      return { ...none, group: bins.join(), bins, classes };
    }
    case 'values':
      return { ...none, mean: meanOf(target) };
    default: // what is drawn as objects: which classes there are
      return { ...none, group: [...new Set(target.objects.map(({ label }) => label))].sort().join() };
  }
}

/** NaN counts as 0, as the reference fills it. */
function meanOf({ values }: Extract<Target, { kind: 'values' }>): number {
  let sum = 0;
  for (const value of values) sum += Number.isNaN(value) ? 0 : value;
  return sum / values.length;
}

function publishedPlaces(
  summaries: readonly Summary[],
  fraction: number,
  { manifest }: Dataset,
): readonly number[] {
  if (manifest.task === 'regression') {
    return publishedRegressionSubset(meanBins(Float32Array.from(summaries, ({ mean }) => mean)), {
      fraction,
    });
  }
  // the reference counts one class where its decoder has one logit: only the first share is binned there
  const classes = ONE_LOGIT.has(manifest.id) ? 1 : manifest.classes.length;
  return publishedSegmentationSubset(
    summaries.map(({ bins }) => bins.slice(0, classes)),
    { fraction },
  );
}

const ONE_LOGIT: ReadonlySet<string> = new Set(['ai4smallfarms', 'spacenet7-change']);

function exactPlaces(
  summaries: readonly Summary[],
  fraction: number,
  seed: number,
  { id, manifest }: Dataset,
): readonly number[] {
  const random = createRandom(seed, `subset/${id}`);
  if (manifest.task === 'regression') {
    const last = 2; // the greatest mean belongs into the last of the three bins
    const groups = meanBins(summaries.map(({ mean }) => mean)).map((bin) => Math.min(bin, last));
    return stratifiedFraction(groups, { fraction, random });
  }
  const isOneOfEach = manifest.task === 'classification';
  return stratifiedFraction(
    summaries.map(({ group }) => group),
    { fraction, random, isOneOfEach },
  );
}

const unpublished = ({ id, manifest }: Dataset): UsageError =>
  new UsageError(
    'SUBSET_UNPUBLISHED',
    `${manifest.benchmark ?? id} has no rule for subsets that can be run.`,
    {
      hint:
        manifest.benchmark === 'geobench'
          ? 'Its lists come with the data: open the dataset with the parameter partition, e.g. 0.10x_train, or take the rule "exact".'
          : 'Take the rule "exact".',
    },
  );
