import { showAs } from '../display/showable.js';
import { UsageError, nearest } from '../errors.js';
import { readDatasetManifest, type DatasetManifest, type PairLayout } from '../manifests/dataset-manifest.js';
import { ownManifest, type OwnManifest } from '../manifests/own-manifest.js';
import { checkSample, ownCodeFailed } from './check-sample.js';
import { createDatasetIo, type DatasetIo } from './dataset-io.js';
import { resolveFaults, type Mode } from './faults.js';
import { pairedRasters } from './paired-rasters.js';
import { openedBundle, openedSampleBundle, openedSampleRow } from './opened-sheets.js';
import { getDatasetDefinition } from './registry.js';
import type { Sample, SampleParts } from './sample.js';

/** One sample of a split before it is read: its id and what `read` needs to find it. */
export interface Entry {
  readonly id: string;
  /** What a list of the release calls it, where that is not the id. */
  readonly line?: string;
}

/** What a dataset's own file says: which samples a split has, and how one is read. */
export interface DatasetDefinition<E extends Entry = Entry> {
  readonly id: string;
  /** Of a dataset that has no file in data-manifests/: a user's own. */
  readonly manifest?: DatasetManifest;
  /** Samples of a split in the reference's order. Reads lists and names of files, no pixels. */
  readonly entries: (split: string, io: DatasetIo) => readonly E[] | Promise<readonly E[]>;
  /** One training epoch where some samples come more than once. Default: the entries. */
  readonly epoch?: (entries: readonly E[], io: DatasetIo) => readonly E[] | Promise<readonly E[]>;
  /** One sample, with the numbers of the files. */
  readonly read: (entry: E, io: DatasetIo) => Promise<SampleParts>;
  /** What the folder says about the whole: partitions, task, container parts. */
  readonly facts?: (io: DatasetIo) => Promise<Readonly<Record<string, unknown>>>;
}

/** What `defineDataset` takes: `manifest` may be whole, or what its author says of it. */
export type DatasetParts<E extends Entry> = Omit<DatasetDefinition<E>, 'id' | 'manifest'> & {
  readonly manifest?: DatasetManifest | OwnManifest;
};

/** Or a manifest alone, of images and label maps in folders. */
export interface PairedParts {
  readonly manifest: OwnManifest & { readonly pairs: PairLayout };
  readonly entries?: never;
}

/**
 * A dataset in code, which goes wherever an id goes. `entries` and `read` share the entry's type.
 * @param id of its file in data-manifests/; a dataset of your own brings `manifest` with it
 * @throws InputError MANIFEST_INVALID
 */
export function defineDataset<E extends Entry>(
  id: string,
  parts: DatasetParts<E> | PairedParts,
): DatasetDefinition {
  const { manifest } = parts;
  const whole = manifest && ('hash' in manifest ? manifest : ownManifest(id, manifest));
  const code = parts.entries ? parts : pairedRasters(whole!.layout.pairs!);
  // the entries of one dataset go only into its own `read`: the type of its entries is nobody else's business
  return { id, ...code, ...(whole && { manifest: whole }) } as unknown as DatasetDefinition;
}

export interface OpenOptions {
  /** `as-published` switches every known fault of the reference on. Default: `corrected`. */
  readonly mode?: Mode;
  /** Faults switched one by one, by their ids in the manifest, over what `mode` says. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** Benchmark in force, where several have a dataset of that name. */
  readonly benchmark?: string;
  /** Values for the manifest's `parameters`, e.g. the site lists of spacenet7. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** A dataset in a folder; samples are read one at a time, when asked for. */
export interface Dataset {
  readonly id: string;
  readonly manifest: DatasetManifest;
  readonly root: string;
  readonly mode: Mode;
  /** Every known fault, and whether it is on. Results record it. */
  readonly faults: Readonly<Record<string, boolean>>;
  /** @throws UsageError SPLIT_UNKNOWN; what the dataset's `entries` throws */
  readonly entries: (split: string) => Promise<readonly Entry[]>;
  /** Entries of one training epoch, repeats included. */
  readonly epoch: (split: string) => Promise<readonly Entry[]>;
  /**
   * @param id of a sample, or its entry
   * @throws UsageError SAMPLE_UNKNOWN; InputError for damaged files; of a dataset in code SAMPLE_INVALID, OWN_CODE_FAILED
   */
  readonly read: (split: string, entry: Entry | string) => Promise<Sample>;
  /** All samples of a split, one after the other. */
  readonly samples: (split: string) => AsyncIterableIterator<Sample>;
  readonly facts: () => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Opens a dataset's folder. Nothing is read yet.
 * @param dataset id or alias, or a definition of your own
 * @param root folder that holds the files of the release
 * @throws UsageError DATASET_UNKNOWN, DATASET_AMBIGUOUS, FAULT_UNKNOWN, PARAMETER_UNKNOWN; InputError MANIFEST_INVALID, FOLDER_MISSING
 */
export async function openDataset(
  dataset: string | DatasetDefinition,
  root: string,
  options: OpenOptions = {},
): Promise<Dataset> {
  const definition =
    typeof dataset === 'string' ? await getDatasetDefinition(dataset, options.benchmark) : dataset;
  const manifest = definition.manifest ?? readDatasetManifest(definition.id);
  const { mode = 'corrected' } = options;
  const faults = resolveFaults(manifest, mode, options.faults);
  const io = createDatasetIo({ ...options, mode, manifest, root, faults });
  const lists = new Map<string, Promise<readonly Entry[]>>();

  const entries = async (name: string): Promise<readonly Entry[]> => {
    const split = splitOf(manifest, name);
    let list = lists.get(split);
    if (!list) {
      list = Promise.resolve(split).then((known) => definition.entries(known, io));
      list.catch(() => lists.delete(split)); // a folder that is mended can be asked again
      lists.set(split, list);
    }
    return list;
  };
  /** A user's own code is looked at; ours has its tests. */
  const readParts = async (entry: Entry): Promise<SampleParts> => {
    if (!definition.manifest) return definition.read(entry, io);
    try {
      const parts = await definition.read(entry, io);
      checkSample(parts, manifest, entry.id);
      return parts;
    } catch (error) {
      return ownCodeFailed(error, `dataset ${manifest.id}, sample ${entry.id}`);
    }
  };
  const read = async (split: string, wanted: Entry | string): Promise<Sample> => {
    const entry = typeof wanted === 'string' ? await findEntry(entries(split), wanted, split) : wanted;
    const parts = await readParts(entry);
    const sample: Sample = { id: entry.id, split: splitOf(manifest, split), facts: {}, ...parts };
    return showSample(sample);
  };
  const opened: Dataset = {
    id: manifest.id,
    manifest,
    root,
    mode,
    faults,
    entries,
    epoch: async (split) => {
      const list = await entries(split);
      return definition.epoch ? definition.epoch(list, io) : list;
    },
    read,
    async *samples(split) {
      for (const entry of await entries(split)) yield await read(split, entry);
    },
    facts: async () => (definition.facts ? definition.facts(io) : {}),
  };
  return showAs(opened, { bundle: openedBundle });
}

/** Gives a sample its look in a notebook, which a copy from another thread lacks. */
export const showSample = (sample: Sample): Sample =>
  showAs(sample, { bundle: openedSampleBundle, row: openedSampleRow });

/** The manifest's name of a split; `valid`, `validation` and the like are `val`. */
function splitOf(manifest: DatasetManifest, name: string): string {
  const known = Object.keys(manifest.splits);
  if (known.includes(name)) return name;
  const alias = SPLIT_ALIASES[name];
  if (alias !== undefined && known.includes(alias)) return alias;
  const guess = nearest(name, known);
  throw new UsageError('SPLIT_UNKNOWN', `${manifest.id} has no split "${name}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}

const SPLIT_ALIASES: Readonly<Record<string, string>> = {
  training: 'train',
  Train: 'train',
  valid: 'val',
  validate: 'val',
  validation: 'val',
  eval: 'val',
  dev: 'val',
  extra_test: 'test',
  val: 'validation',
};

async function findEntry(list: Promise<readonly Entry[]>, id: string, split: string): Promise<Entry> {
  const known = await list;
  const entry = known.find((candidate) => candidate.id === id);
  if (entry) return entry;
  throw new UsageError('SAMPLE_UNKNOWN', `The split "${split}" has no sample "${id}".`, {
    hint: `It has ${known.length} samples, e.g. ${known[0]?.id ?? 'none'}.`,
  });
}
