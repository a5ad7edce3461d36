/** A fixture's `expected.json`, as far as its form is fixed; other members are compared with a sample's `facts`. */
export interface ExpectedDataset {
  readonly benchmark: string;
  /** Folder of the release. */
  readonly dataset: string;
  readonly root: string;
  readonly task: string;
  readonly num_classes: number;
  readonly classes?: readonly string[];
  readonly ignore_index?: number;
  /** By modality, or the stored names of all bands. */
  readonly bands: Readonly<Record<string, readonly string[]>> | readonly string[];
  readonly referenceBands?: Readonly<Record<string, readonly string[]>>;
  readonly splits: Readonly<Record<string, ExpectedSplit>>;
  readonly samples: Readonly<Record<string, readonly ExpectedSample[]>>;
  readonly aois?: Readonly<Record<string, readonly string[]>>;
  readonly partitions?: unknown;
  readonly task_specs?: unknown;
  readonly files?: unknown;
}

export interface ExpectedSplit {
  readonly count: number;
  readonly ids: readonly string[];
  readonly oversampledIds?: readonly string[];
}

export interface ExpectedSample {
  readonly id: string;
  readonly image?: Readonly<Record<string, ExpectedImage>>;
  /** One entry an array of the file. */
  readonly bands?: readonly ExpectedArray[];
  readonly target: Readonly<Record<string, unknown>>;
  readonly [fact: string]: unknown;
}

/** Of one band or array, over stored values. */
export interface ExpectedStatistics {
  readonly min?: number;
  readonly max?: number;
  readonly mean?: number;
  readonly std?: number;
  readonly nan?: number;
  readonly nodata?: number;
}

export interface ExpectedImage {
  /** Letters of the axes of `shape`: C, T, H, W. */
  readonly dims: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly stats: readonly (ExpectedStatistics & { readonly band: string })[];
  readonly geo?: ExpectedPlace;
}

export interface ExpectedArray extends ExpectedStatistics {
  readonly key: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

export interface ExpectedPlace {
  readonly crs: string | null;
  readonly transform: readonly number[] | null;
  /** NaN is the text `NaN`: JSON has no such number. */
  readonly nodata?: number | string | null;
}
