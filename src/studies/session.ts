import path from 'node:path';
import { dataDigest } from '../datasets/data-digest.js';
import { listed } from '../display/words.js';
import { datasetRoot } from '../datasets/dataset-root.js';
import { openDataset, type Dataset, type Entry } from '../datasets/dataset.js';
import { Projections } from '../datasets/places/projections.js';
import { getDatasetDefinition } from '../datasets/registry.js';
import { trainSubset } from '../datasets/splits/train-subset.js';
import type { EngineInfo } from '../engine/engine.js';
import { fetchWeights } from '../encoders/fetch-weights.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import { readDatasetManifest } from '../manifests/dataset-manifest.js';
import { measureStatistics, type MeasuredStatistics } from '../preprocessing/statistics.js';
import type { RunDefinition, RunJob } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import { FeatureStore } from '../training/feature-store.js';
import { KeptEncoder } from '../training/kept-encoder.js';
import { SampleCache } from '../training/sample-cache.js';
import { loadedPlugins } from './load-plugin.js';
import { readAside } from './reading-thread.js';
import { studyStopped } from './study-stopped.js';
import type { StudyDefinition, StudyEvent } from './study.js';

export interface SessionOptions {
  readonly study: Pick<StudyDefinition, 'name' | 'data' | 'weights' | 'keepWeights'>;
  readonly engine: EngineInfo;
  readonly versions: Readonly<Record<string, string>>;
  /** undefined keeps nothing (`--check`). */
  readonly store: ResultStore | undefined;
  readonly emit: (event: StudyEvent) => void;
  /** Aborted when the user asks to stop. */
  readonly signal: AbortSignal;
  /** `--check`: one epoch over one batch of every split. */
  readonly isCheck: boolean;
  /** Processes that may compute side by side. */
  readonly processes: number;
  /** The task of a cluster that this is part of, if any. */
  readonly job?: RunJob | undefined;
}

/** A dataset as the runs of one mode see it. */
export interface OpenedDataset {
  readonly dataset: Dataset;
  readonly cache: SampleCache;
  /** sha256, see `dataDigest`. */
  readonly digest: string;
}

/** Bytes of decoded samples, and of features, that a process keeps in memory: shared by all that work side by side. */
const MEMORY_BYTES = 2 * 2 ** 30;

/** What runs of one study share: opened datasets, files of weights, frozen encoders and their features. */
export class Session {
  peakResidentBytes = 0;
  readonly projections = new Projections();
  readonly frozenEncoder = new KeptEncoder();
  readonly #datasets = new Map<string, Promise<OpenedDataset>>();
  readonly #measured = new WeakMap<Dataset, Promise<MeasuredStatistics>>();
  readonly #subsets = new Map<string, Promise<readonly Entry[]>>();
  readonly #weights = new Map<string, Promise<string>>();
  #features: { readonly key: string; readonly store: FeatureStore } | undefined;

  constructor(readonly options: SessionOptions) {}

  /** Between steps: gives the event loop a turn, notes the memory, and throws StoppedError once asked to stop. */
  readonly breathe = async (): Promise<void> => {
    this.peakResidentBytes = Math.max(this.peakResidentBytes, process.memoryUsage.rss());
    await new Promise((resolve) => setImmediate(resolve));
    if (this.options.signal.aborted) throw studyStopped();
  };

  get memoryBytes(): number {
    return MEMORY_BYTES / this.options.processes;
  }

  /** Kept, failures too: what could not be fetched for one run is not tried again for every other. */
  dataset(
    { dataset: id, mode, faults }: Pick<RunDefinition, 'dataset' | 'mode' | 'faults'>,
    note: (text: string) => void,
  ): Promise<OpenedDataset> {
    const key = JSON.stringify([id, mode, faults]);
    const known = this.#datasets.get(key) ?? this.#open(id, { mode, ...(faults && { faults }) }, note);
    this.#datasets.set(key, known);
    return known;
  }

  async #open(
    id: string,
    { mode, faults = {} }: Pick<RunDefinition, 'mode' | 'faults'>,
    note: (text: string) => void,
  ): Promise<OpenedDataset> {
    const { signal, study } = this.options;
    const definition = await getDatasetDefinition(id);
    const manifest = definition.manifest ?? readDatasetManifest(definition.id);
    const root = await datasetRoot(manifest, study.data, { signal, onProgress: (_, what) => note(what) });
    // faults of the encoder are none of the dataset's
    const own = new Set(manifest.faults.filter(({ isSwitchable }) => isSwitchable).map((fault) => fault.id));
    const given = Object.fromEntries(Object.entries(faults).filter(([fault]) => own.has(fault)));
    const dataset = await openDataset(definition, root, { mode, faults: given, signal });
    note(`reading ${id}`);
    const options = { mode, faults: given };
    const read = readAside(dataset, { dataset: id, root, options, plugins: loadedPlugins() }, signal);
    const cache = new SampleCache(dataset, this.memoryBytes / 2, read);
    return { dataset, cache, digest: await dataDigest(dataset, Object.keys(manifest.splits)) };
  }

  /** Statistics of the training split, measured once. */
  measured({ dataset, cache }: OpenedDataset): Promise<MeasuredStatistics> {
    const known = this.#measured.get(dataset) ?? measureStatistics(cache.samples('train'));
    this.#measured.set(dataset, known);
    return known;
  }

  /** Entries of a share of the training split. */
  subset({ dataset }: OpenedDataset, fraction: number, seed: number): Promise<readonly Entry[]> {
    const key = JSON.stringify([dataset.id, dataset.mode, dataset.faults, fraction, seed]);
    const known =
      this.#subsets.get(key) ??
      trainSubset(dataset, {
        ...{ fraction, seed },
        onEmptied: (classes) =>
          this.options.emit({
            type: 'notice',
            text: `The share ${fraction} of the training split of ${dataset.id}, seed ${seed}, shows nothing of ${listed(classes)}.`,
          }),
      });
    this.#subsets.set(key, known);
    return known;
  }

  weightsFile(encoder: string, note: (text: string) => void): Promise<string> {
    const { signal, study } = this.options;
    const given = study.weights?.[encoder];
    const known =
      this.#weights.get(encoder) ??
      (given === undefined
        ? fetchWeights(readEncoderManifest(encoder), { signal, onProgress: (_, what) => note(what) })
        : Promise.resolve(path.resolve(given)));
    this.#weights.set(encoder, known);
    return known;
  }

  /** The store of features for this key; the memory of another key is freed, since runs come arm by arm. */
  features(key: string): FeatureStore {
    if (this.#features?.key !== key) {
      const { store, emit } = this.options;
      this.#features = {
        key,
        store: new FeatureStore({
          folder: store ? path.join(store.folder, 'features') : null,
          key,
          memoryBytes: this.memoryBytes / 2,
          onUnwritable: (reason) =>
            emit({ type: 'notice', text: `Features are kept in memory alone: ${reason}` }),
        }),
      };
    }
    return this.#features.store;
  }
}
