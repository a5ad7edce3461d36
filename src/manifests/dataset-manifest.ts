import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { readDatasetSchema } from './dataset-schema.js';
import { datasetRow, datasetSheet } from './dataset-sheet.js';
import { readManifest } from './read-manifest.js';
import type { WheelSource } from './wheel-source.js';

/** What a sample's truth is. */
export type Task =
  | 'classification'
  | 'multilabel'
  | 'segmentation'
  | 'change_detection'
  | 'regression'
  | 'detection'
  | 'instance_segmentation';

/** One band of a modality: what it holds, and what the release calls it. */
export interface BandManifest {
  /** What it holds: a band of the sensor, or a derived quantity. */
  readonly id: string;
  /** Name in the release (key, column or row); equal to `id` where it is no other. */
  readonly stored: string;
  /** What the reference takes it for: differs from `id` where the reference is wrong. See `bandNames`. */
  readonly reference: string;
  /** A mask, an alpha channel or the like: in the files, but not among the bands a model is given. */
  readonly isAuxiliary: boolean;
  /** Centre wavelength; null for radar, elevation, masks. */
  readonly wavelengthNm: number | null;
  /** Ground sampling distance of the sensor's band, before any resampling by the release. */
  readonly gsdM: number | null;
}

/** Numbers a band, in the order of the modality's bands and true of what they hold; null where the source says none. */
export interface StatisticsManifest {
  /** Who computed them, over what. */
  readonly source: string;
  readonly mean: readonly (number | null)[] | null;
  readonly std: readonly (number | null)[] | null;
  readonly min: readonly (number | null)[] | null;
  readonly max: readonly (number | null)[] | null;
  /** By percentile, e.g. `98`; null: the source says none. */
  readonly percentiles: Readonly<Record<string, readonly (number | null)[]>> | null;
  /** Mean and spread that the reference applies instead, where it takes those of another band. */
  readonly asPublished: {
    readonly mean: readonly (number | null)[];
    readonly std: readonly (number | null)[];
  } | null;
  /** Why they cannot be used as they are, e.g. placeholders; null: they can. */
  readonly caution: string | null;
  /** Whether means and spreads of the files can be compared with them. */
  readonly isComparable: boolean;
}

export interface ModalityManifest {
  /** Id in data-manifests/sensors/. */
  readonly sensor: string;
  /** Name of the file's part that holds it, where several modalities share one or the release names it otherwise. */
  readonly storedIn: string | null;
  /** Of stored values. */
  readonly unit: string;
  /** Multiplies a stored value into `unit`; 1 where the files hold it. */
  readonly scale: number;
  /** Least and greatest stored value that can be meant; null: not known. */
  readonly range: readonly [number, number] | null;
  readonly bands: readonly BandManifest[];
  /** Stored values that mean "no value here"; NaN always does. */
  readonly invalidValues: readonly number[];
  /** What the reference writes over invalid pixels; null: it leaves them. */
  readonly referenceFill: number | null;
  /** Time steps of a sample; null: they vary. */
  readonly timeSteps: number | null;
  readonly statistics: readonly StatisticsManifest[];
}

/** How a stored label becomes a class index; the members apply in this order: `map`, `offset`, `others`. */
export interface LabelRules {
  /** Stored value → class index, or `ignoreIndex`. */
  readonly map?: Readonly<Record<string, number>>;
  /** Added to a stored value where there is no `map`. Default 0. */
  readonly offset?: number;
  /** What a value becomes that is no class after that. Default: it is an error. */
  readonly others?: number;
  /** Value of the target where there is no label: losses and metrics leave it out. null: none. */
  readonly ignoreIndex: number | null;
  /** Classes that mean "no label" and that the reference scores all the same; left out unless `void-scored` is on. */
  readonly voidClasses: readonly number[];
}

export interface SplitManifest {
  /** Official number of samples; null: never published. */
  readonly count: number | null;
  /** How the split comes about: a list, a folder, a rule. */
  readonly rule: string;
  /** What scores on this split say, e.g. `in-domain`; null: the split is not scored, or nothing is to be said. */
  readonly scored: string | null;
  /** Other counts that papers, generators or files give. */
  readonly otherCounts: readonly { readonly count: number; readonly source: string }[];
}

/** A fault of the reference or of the release: what it does, and what is right. */
export interface FaultManifest {
  readonly id: string;
  readonly asPublished: string;
  readonly corrected: string;
  /** Whether code here can switch it; else it is only stated. */
  readonly isSwitchable: boolean;
}

/** Images and label maps in folders; both are sorted by name and paired by place. `{split}` stands for the split. */
export interface PairLayout {
  /** Folder below the root, e.g. `{split}/images`. */
  readonly images: string;
  readonly masks: string;
  /** Endings that tell the files of one folder apart, e.g. `_image.tif`; default: any TIFF or PNG. */
  readonly imageEnding?: string | undefined;
  readonly maskEnding?: string | undefined;
  /** Folder name of a split, where it is not the split's. */
  readonly splitFolders?: Readonly<Record<string, string>> | undefined;
}

/** One image of a dataset and the splits that its columns belong to. */
export interface SceneManifest {
  readonly id: string;
  readonly place: string;
  readonly image: string;
  readonly annotations: string;
  readonly sha256: { readonly image: string; readonly annotations: string };
  readonly height: number;
  readonly width: number;
  readonly regions: readonly {
    readonly split: string;
    /** Columns [from, to) in pixels, all rows. */
    readonly columns: readonly [number, number];
  }[];
}

/** A file of a release, as far as it is known. */
export interface ReleaseFile {
  readonly name: string;
  /** Checksums, hexadecimal, where they were published. */
  readonly sha256: string | null;
  readonly md5: string | null;
  readonly bytes: number | null;
  /** Where it is fetched without an account; null: by hand. */
  readonly url: string | null;
}

export interface DatasetManifest {
  readonly id: string;
  readonly title: string;
  /** Id in data-manifests/benchmarks/; null: none. */
  readonly benchmark: string | null;
  /** Other names, accepted on input. */
  readonly aliases: readonly string[];
  readonly task: Task;
  /** Paper to cite. */
  readonly citation: string;
  readonly homepage: string;
  readonly licence: string;
  readonly card: {
    readonly predicted: string;
    readonly from: string;
    /** Which pixels or samples count. */
    readonly counted: string;
  };
  /** Height and width of a released image, pixels; null: they vary. */
  readonly imageSize: readonly [height: number, width: number] | null;
  /** Ground sampling distance of the images as released. */
  readonly gsdM: number | null;
  readonly modalities: Readonly<Record<string, ModalityManifest>>;
  /** Of the target, by index. A regression has one: the quantity. */
  readonly classes: readonly { readonly name: string; readonly share: number | null }[];
  readonly labels: LabelRules;
  readonly splits: Readonly<Record<string, SplitManifest>>;
  readonly layout: {
    readonly summary: string;
    /** Role → pattern of the path below the root. */
    readonly files: Readonly<Record<string, string>>;
    /** Of a dataset of images and label maps in folders: it needs no code. null: it has code of its own. */
    readonly pairs: PairLayout | null;
  };
  readonly release: {
    /** `open`, `registration`, `not released`, or that with what is missing. */
    readonly access: string;
    /** Of all files together, in words, e.g. `about 3 GB`; null: not stated. */
    readonly size: string | null;
    readonly files: readonly ReleaseFile[];
    /** Where the files are fetched from without an account; null: by hand. */
    readonly wheel: WheelSource | null;
    /** Dataset whose files these are; null: its own. */
    readonly sharedWith: string | null;
  };
  /** Oversampling, crops, choice of dates, pair gaps, tiling: rule by name. */
  readonly sampling: Readonly<Record<string, string>>;
  readonly metrics: readonly string[];
  /** What a caller can set when opening the dataset. */
  readonly parameters: Readonly<Record<string, { readonly meaning: string; readonly default: unknown }>>;
  readonly faults: readonly FaultManifest[];
  /** Of datasets that list their files one by one. */
  readonly scenes: readonly SceneManifest[];
  readonly notes: readonly string[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readDatasetManifest = (id: string): DatasetManifest =>
  showAs<DatasetManifest>(readManifest<Omit<DatasetManifest, 'hash'>>('datasets', id, readDatasetSchema()), {
    bundle: (manifest) => sheetBundle(datasetSheet(manifest)),
    row: datasetRow,
  });
