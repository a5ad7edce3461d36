import type { ErrorData } from '../errors.js';
import type { DecoderSettings } from '../manifests/protocol-manifest.js';
import type { JsonValue, Mode, RunDefinition, RunRecord, Settings } from '../results/run-record.js';

/** A decoder with options of its own. */
export interface DecoderChoice {
  readonly id: string;
  /** Its hyperparameters, by its own names (docs/guide/decoders.md), over what the protocol has for it. */
  readonly options?: DecoderSettings;
  /** Default: the protocol's. */
  readonly neck?: string;
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
  readonly mode?: Mode;
  /** Folders of the datasets' files, by id; default: below GONDWANA_DATA, or the cache. No part of a run's identity. */
  readonly data?: Readonly<Record<string, string>>;
  /** Weight files by encoder id; default: the manifest's. Their digests are part of a run's identity. */
  readonly weights?: Readonly<Record<string, string>>;
  /** Known faults of datasets and encoders switched one by one, over what `mode` says. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** What `--quick` replaces. */
  readonly quick?: { readonly seeds?: readonly number[]; readonly settings?: Settings };
}

export interface PlannedRun {
  readonly id: string;
  /** Short name of the arm, made of the settings that differ, e.g. `frozen, z-score`. */
  readonly arm: string;
  readonly definition: RunDefinition;
}

export interface StudyPlan {
  readonly study: StudyDefinition;
  readonly quick: boolean;
  readonly runs: readonly PlannedRun[];
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
  /** Runs that failed just now, with the reason. */
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
}
