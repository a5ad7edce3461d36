import { createHash } from 'node:crypto';
import { groupBy } from '../collections.js';
import { loadDataset, type LoadedDataset, type LoadedSample } from '../datasets/loaded-dataset.js';
import type { EngineInfo } from '../engine/engine.js';
import { fetchWeights } from '../encoders/fetch-weights.js';
import { RunError } from '../errors.js';
import type { RasterArray } from '../io/raster.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import {
  bandStatistics,
  normalization,
  type Normalization,
  type NormalizationName,
} from '../preprocessing/normalize.js';
import type { InputCheck } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import { FeatureStore } from '../training/features.js';
import { cutTiles, imageTensor, type Tile } from '../training/tiles.js';
import type { RunSettings } from './plan-study.js';
import { studyStopped } from './study-stopped.js';
import type { PlannedRun, StudyEvent } from './study.js';

/** A dataset cut to tiles, with what a normalisation needs. */
export interface PreparedDataset {
  readonly dataset: LoadedDataset;
  readonly tiles: ReadonlyMap<string, readonly Tile[]>;
  readonly samples: ReadonlyMap<string, readonly LoadedSample[]>;
}

export interface SessionOptions {
  readonly study: string;
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
}

/** What runs of one study share: data in memory, files of weights, features of frozen encoders. */
export class Session {
  peakResidentBytes = 0;
  readonly #prepared = new Map<string, Promise<PreparedDataset>>();
  readonly #weights = new Map<string, Promise<string>>();
  #features: { key: string; store: FeatureStore } | undefined;

  constructor(readonly options: SessionOptions) {}

  /** Between steps: gives the event loop a turn, notes the memory, and throws StoppedError once asked to stop. */
  readonly breathe = async (): Promise<void> => {
    this.peakResidentBytes = Math.max(this.peakResidentBytes, process.memoryUsage.rss());
    await new Promise((resolve) => setImmediate(resolve));
    if (this.options.signal.aborted) throw studyStopped();
  };

  /** Kept, failures too: what could not be fetched for one run is not tried again for every other. */
  prepare(id: string, tileSize: number, note: (text: string) => void): Promise<PreparedDataset> {
    const key = `${id}/${tileSize}`;
    const known = this.#prepared.get(key) ?? this.#load(id, tileSize, note);
    this.#prepared.set(key, known);
    return known;
  }

  async #load(id: string, tileSize: number, note: (text: string) => void): Promise<PreparedDataset> {
    const { signal, isCheck } = this.options;
    const dataset = await loadDataset(id, { signal, onProgress: (_, what) => note(what) });
    const samples = groupBy(dataset.samples, ({ split }) => split);
    const tiles = new Map(
      dataset.manifest.splits.map((split) => {
        const all = cutTiles(samples.get(split) ?? [], tileSize);
        return [split, isCheck ? all.slice(0, CHECK_TILES) : all];
      }),
    );
    return { dataset, samples: isCheck ? new Map() : samples, tiles };
  }

  weightsFile(encoder: string, note: (text: string) => void): Promise<string> {
    const { signal } = this.options;
    const known =
      this.#weights.get(encoder) ??
      fetchWeights(readEncoderManifest(encoder), { signal, onProgress: (_, what) => note(what) });
    this.#weights.set(encoder, known);
    return known;
  }

  /** The store of features for this key; the one of another key is freed, since runs come arm by arm. */
  features(key: string): FeatureStore {
    if (this.#features?.key !== key) {
      this.#features?.store.dispose();
      this.#features = { key, store: new FeatureStore() };
    }
    return this.#features.store;
  }

  dispose(): void {
    this.#features?.store.dispose();
    this.#features = undefined;
  }
}

/** Tiles of each split in a check: one batch of the usual size. */
const CHECK_TILES = 8;

/** Checked inputs of each dataset by normalisation: the same for every run, and a second of work for each. */
const inputsKnown = new WeakMap<PreparedDataset, Map<NormalizationName, CheckedInputs>>();

interface CheckedInputs {
  readonly normalization: Normalization;
  readonly inputs: readonly InputCheck[];
  readonly digest: string;
}

/** The normalisation of a dataset and what it makes of the train tiles; computed once. */
export function checkedInputs(prepared: PreparedDataset, name: NormalizationName): CheckedInputs {
  const known = inputsKnown.get(prepared) ?? new Map<NormalizationName, CheckedInputs>();
  inputsKnown.set(prepared, known);
  const before = known.get(name);
  if (before) return before;
  const given = normalizationOf(prepared, name);
  const checked = { normalization: given, ...checkInputs(prepared, given) };
  known.set(name, checked);
  return checked;
}

export const normalizationOf = ({ tiles }: PreparedDataset, name: NormalizationName): Normalization =>
  normalization(name, bandStatistics((tiles.get('train') ?? []).map(({ image }) => image)));

/** Mean and spread of every band in the tensors that the encoder receives for the train tiles, and a digest of them. */
export function checkInputs(
  { dataset, tiles }: PreparedDataset,
  given: Normalization,
): { inputs: InputCheck[]; digest: string } {
  const train = tiles.get('train') ?? [];
  const { bands } = dataset.manifest;
  const hash = createHash('sha256');
  const images: RasterArray[] = [];
  for (let start = 0; start < train.length; start += CHECK_TILES) {
    const tensor = imageTensor(train.slice(start, start + CHECK_TILES), given);
    const data = tensor.dataSync<'float32'>();
    tensor.dispose();
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    images.push({ data, height: 1, width: data.length / bands.length, bandCount: bands.length });
  }
  const { mean, standardDeviation } = bandStatistics(images);
  return {
    inputs: bands.map((band, index) => ({
      band,
      mean: mean[index]!,
      standardDeviation: standardDeviation[index]!,
    })),
    digest: hash.digest('hex'),
  };
}

/**
 * Arms that differ in a setting of the input must differ in the input itself.
 * @throws RunError ARMS_EQUAL for two normalisations that give the encoder the same values
 */
export function proveArmsDiffer(prepared: PreparedDataset, runs: readonly PlannedRun[]): void {
  const seen = new Map<string, string>();
  const names = new Set(
    runs
      .filter(
        ({ definition }) =>
          definition.dataset === prepared.dataset.manifest.id && definition.encoder !== 'none',
      )
      .map(({ definition }) => (definition.settings as unknown as RunSettings).normalization),
  );
  for (const name of names) {
    const { digest } = checkedInputs(prepared, name);
    const twin = seen.get(digest);
    if (twin !== undefined) {
      throw new RunError(
        'ARMS_EQUAL',
        `Normalisations "${twin}" and "${name}" give the encoder the same values.`,
        {
          where: `dataset ${prepared.dataset.manifest.id}, train split`,
          hint: 'An ablation of two equal arms says nothing; leave one out, or look at why the data are normalised already.',
        },
      );
    }
    seen.set(digest, name);
  }
}
