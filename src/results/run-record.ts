import type { Mode } from '../datasets/faults.js';
import type { EngineInfo } from '../engine/engine.js';

/**
 * One run and everything needed to believe it. A record is written once, when the run has finished,
 * and never changed: the truth of a study is its set of records.
 */

/** `corrected` is the default; `as-published` switches every known fault of a reference back on. */
export type { Mode };

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Settings of a run by name, all values given; part of its identity. */
export type Settings = Readonly<Record<string, JsonValue>>;

/** What a run is: one dataset × encoder × decoder × settings × seed. Its hash is the run's id. */
export interface RunDefinition {
  readonly dataset: string;
  /** `none` for a trivial predictor. */
  readonly encoder: string;
  /** `constant` for a trivial predictor: `settings.predictedClass` is a class, `majority`, `mean` of values, `grid` or `random` of boxes. */
  readonly decoder: string;
  /** Varied axes (`encoderMode`, `normalization`, …) and the resolved protocol, flat. */
  readonly settings: Settings;
  /** null where nothing is drawn (trivial predictors). */
  readonly seed: number | null;
  readonly mode: Mode;
  /** sha256 of the data manifest. */
  readonly datasetManifest: string;
  /** sha256 of the weights file, null where there is none. */
  readonly weights: string | null;
  /** Raised by hand when the numerics change. */
  readonly revision: number;
  /** Known faults switched one by one, over what `mode` says; absent where none is. */
  readonly faults?: Readonly<Record<string, boolean>> | undefined;
  /** Of a trial in a search; absent in runs that count as repeats. */
  readonly trial?: TrialIdentity | undefined;
  /** sha256 of the code of a dataset, encoder or decoder of a user's own, by id; absent where all are ours. */
  readonly own?: Readonly<Record<string, string>> | undefined;
}

/** Which trial of which search; its parameters are among the settings. */
export interface TrialIdentity {
  /** Id of the search. */
  readonly search: string;
  /** Of all that the search is: space, sampler, pruner, seed. */
  readonly digest: string;
  /** 0 for the first. */
  readonly number: number;
}

/** What a trial came to. Trials look at the validation split alone. */
export interface TrialResult {
  /** `pruned`: ended early, since others are better. */
  readonly state: 'complete' | 'pruned';
  /** Best validation score, smoothed where the protocol smooths; null where pruned or undefined. */
  readonly value: number | null;
  /** Validation scores, the first is step 1; those that are undefined are left out. */
  readonly reports: readonly { readonly step: number; readonly value: number }[];
}

/** Whether a run is a trial of a search, whose scores are none of a study's. */
export const isTrial = ({ definition }: { readonly definition: Pick<RunDefinition, 'trial'> }): boolean =>
  definition.trial !== undefined;

/** The arm that a trial was tried for; of other runs their own. */
export const armOfTrial = ({ arm }: Pick<RunRecord, 'arm'>): string => arm.replace(/, trial \d+$/, '');

/** One number. A row names everything it depends on beside the run. */
export interface ScoreRow {
  readonly split: string;
  /** Site or region inside the split; `all` for all of them together. */
  readonly place: string;
  /** `tiles`: the protocol's own tiles; `whole` images at once; `sliding-window`, `tiled`: every pixel of the whole image, from windows. */
  readonly evaluation: 'tiles' | 'whole' | 'sliding-window' | 'tiled';
  /** As docs/guide/metrics.md names it, e.g. `mIoU`. */
  readonly metric: string;
  /** Class name for per-class values, null for means over classes. */
  readonly className: string | null;
  /** null where it is undefined (a class absent from truth and prediction). */
  readonly value: number | null;
}

export interface EpochRow {
  /** 1 for the first. */
  readonly epoch: number;
  readonly trainLoss: number;
  /** What the protocol selects by, on the validation split; null for epochs that are not validated; of several the best. */
  readonly validationScore: number | null;
  /** null where it is not asked for; absent in records of earlier versions. */
  readonly validationLoss?: number | null | undefined;
  readonly seconds: number;
  /** Where an epoch may have several, in their order. */
  readonly validations?:
    | readonly { readonly step: number; readonly score: number | null; readonly loss: number | null }[]
    | undefined;
}

/** Mean and spread of one band as the encoder receives it, over at most 32 training inputs, spread evenly. */
export interface InputCheck {
  readonly band: string;
  readonly mean: number;
  readonly standardDeviation: number;
}

/** One image of the report: what the encoder saw, the truth, and what this run said. Files in the store. */
export interface ExampleRow {
  /** Split, place and the window's corner, e.g. `test/YELL/x1792-y448`. */
  readonly id: string;
  readonly split: string;
  readonly place: string;
  /** Paths inside the store, e.g. `artifacts/3f/3fa9….png`, named by the content's sha256. */
  readonly image: string;
  /** Class index a pixel, 8-bit grey; of objects an `ObjectExample` in a `.json` file. */
  readonly truth: string;
  readonly prediction: string;
  /** mIoU, of objects AP50, of this window alone; null where undefined. */
  readonly score: number | null;
}

/** The task of a cluster in which a run was computed. */
export interface RunJob {
  /** Name of the folder, e.g. `0007`. */
  readonly submission: string;
  /** Line of the submission's `runs.txt`, from 0. */
  readonly task: number;
  /** As the cluster names it, e.g. `4711_3`. */
  readonly job: string;
  /** How often the cluster has begun the task again. */
  readonly restart: number;
  readonly node: string;
  /** Inside the study's folder, e.g. `logs/4711_3.log`. */
  readonly log: string;
}

/** What a run found on a split, summed up for charts: a `DetectionSummary` in a `.json` file of the store. */
export interface DetectionRow {
  readonly split: string;
  /** Path inside the store. */
  readonly summary: string;
}

export interface RunRecord {
  readonly schema: 'gondwana-run/1';
  readonly id: string;
  /** One execution of the run: host, process and a random part. Tells rivals apart. */
  readonly attempt: string;
  readonly study: string;
  /** Short name of the arm in tables and charts, e.g. `frozen, z-score`. */
  readonly arm: string;
  readonly definition: RunDefinition;
  /** Of the dataset; absent in records of earlier versions, which are segmentations. */
  readonly task?: string | undefined;
  readonly dataHash: string;
  /** Counted, not copied: samples (tiles) and pixels (of images with one answer images, of lists objects) that each split really gave. */
  readonly counts: Readonly<Record<string, { readonly samples: number; readonly pixels: number }>>;
  readonly inputs: readonly InputCheck[];
  readonly scores: readonly ScoreRow[];
  readonly curve: readonly EpochRow[];
  /**
   * Weights that gave `scores`, of all that was trained, as safetensors; path inside the store. Absent where the study
   * keeps none.
   */
  readonly modelWeights?: string | undefined;
  /** Epoch whose weights gave `scores`; null for trivial predictors. */
  readonly selectedEpoch: number | null;
  /** Of a trial in a search. */
  readonly trial?: TrialResult | undefined;
  /** Every known fault of the dataset's and the encoder's reference, and whether it was on; absent in earlier records. */
  readonly faults?: Readonly<Record<string, boolean>> | undefined;
  /** Steps of the preprocessing, in order, with their options; absent in earlier records. */
  readonly preprocessing?: readonly { readonly name: string; readonly options: JsonValue }[] | undefined;
  readonly examples: readonly ExampleRow[];
  /** Of tasks of objects; absent in records of earlier versions. */
  readonly detections?: readonly DetectionRow[] | undefined;
  readonly cost: RunCost;
  /** Absent where no cluster was asked. */
  readonly job?: RunJob | undefined;
  readonly engine: EngineInfo;
  /** `gondwana`, `commit`, `node`, `operatingSystem`. */
  readonly versions: Readonly<Record<string, string>>;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface RunCost {
  readonly parameters: number;
  readonly trainableParameters: number;
  /**
   * Of one forward pass for one input of the training (docs/decisions/0013); null where the model cannot be counted, absent
   * in earlier records and of trivial predictors.
   */
  readonly multiplyAdds?: { readonly encoder: number; readonly decoder: number } | null | undefined;
  /** Seconds by phase: `prepare`, `features`, `train`, `validate`, `evaluate`. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Largest resident memory of the process seen during the run, bytes. */
  readonly peakResidentBytes: number;
  /** Processes of the study that may have computed side by side, this one included; they slow each other. */
  readonly processes: number;
}
