import type { ErrorData } from '../errors.js';
import type { SearchSpace } from '../manifests/search-space.js';
import type { DecoderSettings } from '../manifests/protocol-manifest.js';
import type { SearchDirection, Trial } from '../training/search/trial.js';
import type { JsonValue, Mode, RunDefinition, RunRecord, Settings } from '../results/run-record.js';

/** A decoder with options of its own. */
export interface DecoderChoice {
  readonly id: string;
  /** Its hyperparameters, by its own names (docs/guide/decoders.md), over what the protocol has for it. */
  readonly options?: DecoderSettings;
  /** Default: the protocol's. */
  readonly neck?: string;
}

/** A search for the best settings of every arm; its best one is then repeated with the study's seeds. */
export interface StudySearch {
  /** Manifest in data-manifests/searches, `true`: the protocol's; the other members replace its. Without one they are all. */
  readonly id?: true | string;
  /** Default without a manifest: `tpe`. */
  readonly sampler?: 'tpe' | 'random' | 'grid';
  /** Trials of each arm. Default without a manifest: 16. */
  readonly trials?: number;
  /** Ends trials early whose validations are behind those of others. Default without a manifest: none. */
  readonly pruner?: 'median' | 'hyperband' | null;
  /** What is tried, by the name of a setting; mandatory without a manifest. */
  readonly space?: SearchSpace;
  /** Of the draws, and of each trial's training. Default without a manifest: 0. */
  readonly seed?: number;
}

/** What a researcher writes down: a question, and the runs that answer it. */
export interface StudyDefinition {
  /** Lower-case with hyphens; names the default store `results/NAME`. */
  readonly name: string;
  /** The question, as a sentence. */
  readonly title: string;
  /** Paper and table, e.g. `PANGAEA, Tables 8 and 12`. */
  readonly source?: string;
  readonly datasets: readonly string[];
  readonly encoders: readonly string[];
  /** Ids, or ids with options. */
  readonly decoders: readonly (string | DecoderChoice)[];
  /** Manifest in data-manifests/protocols: optimiser, schedule, epochs, tiles. */
  readonly protocol: string;
  /** Settings that differ between arms; every combination is an arm. */
  readonly vary?: Readonly<Record<string, readonly JsonValue[]>>;
  /** Further arms outside the grid. */
  readonly also?: readonly Settings[];
  /** Settings that hold for every arm and replace the protocol's. */
  readonly settings?: Settings;
  readonly seeds: readonly number[];
  /** `true`: the protocol's own; an id of data-manifests/searches; or a search of the study's own. */
  readonly search?: true | string | StudySearch;
  readonly mode?: Mode;
  /** Folders of the datasets' files, by id; default: below GONDWANA_DATA, or the cache. No part of a run's identity. */
  readonly data?: Readonly<Record<string, string>>;
  /** Weight files by encoder id; default: the manifest's. Their digests are part of a run's identity. */
  readonly weights?: Readonly<Record<string, string>>;
  /** Whether records keep the weights that were trained, e.g. to detect with them. No part of a run's identity. Default false. */
  readonly keepWeights?: boolean;
  /** Known faults of datasets and encoders switched one by one, over what `mode` says. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** What `--quick` replaces. */
  readonly quick?: {
    readonly seeds?: readonly number[];
    readonly settings?: Settings;
    /** Of a search; default 2. */
    readonly trials?: number;
  };
}

export interface PlannedRun {
  readonly id: string;
  /** Short name of the arm, made of the settings that differ, e.g. `frozen, z-score`. */
  readonly arm: string;
  readonly definition: RunDefinition;
  /** Of a trial that may be ended early: by what. */
  readonly trial?: TrialPruning;
}

/** By what a trial is ended early. */
export interface TrialPruning {
  readonly pruner: 'median' | 'hyperband';
  readonly direction: SearchDirection;
  /** The trials before it. */
  readonly earlier: readonly Trial[];
}

/** How far the search of an arm is. */
export interface SearchProgress {
  /** Id of the search. */
  readonly search: string;
  readonly dataset: string;
  readonly arm: string;
  /** That are asked for. */
  readonly trials: number;
  readonly complete: number;
  readonly pruned: number;
  /** Each is made up for by another. */
  readonly failed: number;
  /** Once all trials have ended. */
  readonly best: { readonly parameters: Settings; readonly value: number } | null;
  /** Runs of the best setting, one a seed. */
  readonly repeats: number;
}

export interface StudyPlan {
  readonly study: StudyDefinition;
  readonly quick: boolean;
  /** Of a study that searches, those that are known by now: what is tried next hangs on what came before. */
  readonly runs: readonly PlannedRun[];
  readonly searches?: readonly SearchProgress[];
  /** Trials and repeats of searches that are not among `runs` yet. */
  readonly toCome?: number;
  /** What a store holds of it, and what is left to do. */
  readonly outlook?: StudyOutlook;
}

/** How much of a plan is done. */
export interface StudyOutlook {
  /** Folder of the study. */
  readonly store: string;
  readonly done: number;
  readonly missing: number;
  /** Of these, runs like which none was measured. */
  readonly unknown: number;
  /** Clock time of what is missing, by the runs that the store holds; null where some of it is unknown. */
  readonly expectedSeconds: number | null;
  /** Of each missing run of the plan by its id; null where it is unknown. */
  readonly secondsOf: ReadonlyMap<string, number | null>;
}

export type Phase = 'prepare' | 'features' | 'train' | 'validate' | 'evaluate';

/** What happens while a study runs, in order. Plain data: it crosses threads and processes. */
export type StudyEvent =
  | { readonly type: 'notice'; readonly text: string }
  | {
      readonly type: 'plan';
      readonly total: number;
      readonly finished: number;
      /** Runs that are not finished, in the plan's order. */
      readonly missing?: readonly PlannedRun[];
      /** Runs of searches that are not known yet, part of `total`. */
      readonly toCome?: number;
    }
  | { readonly type: 'run-started'; readonly run: PlannedRun; readonly index: number; readonly total: number }
  | {
      readonly type: 'step';
      readonly run: string;
      readonly phase: Phase;
      /** Share of the whole run that is done, 0 … 1. */
      readonly share: number;
      readonly epoch?: number;
      readonly epochs?: number;
      readonly loss?: number;
      /** What is being done, where the phase does not say it, e.g. a download. */
      readonly note?: string;
      /** On the validation split. */
      readonly score?: number;
      /** What the score is, e.g. `RMSE`, or `loss`. */
      readonly metric?: string;
    }
  | {
      readonly type: 'run-finished';
      readonly record: RunRecord;
      readonly index: number;
      readonly total: number;
    }
  | ({ readonly type: 'run-failed' } & FailedRun);

/** What a study's store holds after a run of it. */
export interface StudyResult {
  readonly plan: StudyPlan;
  /** Folder of the study. */
  readonly store: string;
  /** Records of the plan's runs, in the plan's order. */
  readonly records: readonly RunRecord[];
  /** Runs that failed just now, with the reason; of each search without a score, whenever it ended, one trial. */
  readonly failed: readonly FailedRun[];
}

export interface FailedRun {
  readonly run: PlannedRun;
  readonly error: ErrorData;
}

export interface StudyRunOptions {
  /** Folder of the study; default `results/NAME`. Finished runs in it are kept and not run again. */
  readonly store?: string;
  /** Few seeds and epochs, for a first look and for tests. */
  readonly quick?: boolean;
  /** Stops at the next step; finished runs stay in the store. Default: the signal of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: StudyEvent) => void;
  /** Default: this machine. */
  readonly on?: 'local';
}

/** What `study.status` is asked for. */
export interface StudyStatusOptions {
  /** Folder of the study; default `results/NAME`. */
  readonly store?: string;
  readonly quick?: boolean;
  /** Shows it again every few seconds until nothing is on its way any more, or the cell is stopped. */
  readonly watch?: boolean;
}
