import type { LabelArray, PixelArray } from '../io/raster.js';

/** Type of the numbers in the file; `data` may hold a wider one (float16 in a Float32Array, int64 in a Float64Array). */
export type StoredType =
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'int64'
  | 'uint64'
  | 'float16'
  | 'float32'
  | 'float64';

/** x = a · column + b · row + c; y = d · column + e · row + f, of the upper left corner of a pixel: [a, b, c, d, e, f]. */
export type Affine = readonly [number, number, number, number, number, number];

/** One modality of one sample, with the numbers of the file: nothing scaled, clipped or filled. */
export interface SampleImage {
  /** [time, height, width, band], band fastest. */
  readonly data: PixelArray;
  readonly timeCount: number;
  readonly height: number;
  readonly width: number;
  /** What each band holds, by the manifest's band ids. */
  readonly bands: readonly string[];
  /** One a time step, `YYYY-MM-DD` or `YYYY-MM`; null where the files say none. */
  readonly dates: readonly (string | null)[];
  /** Names of the time steps where the release has such, e.g. `pre_event_1`. */
  readonly steps?: readonly string[];
  /** Like `data`: 1 = measured, 0 = no value there (NaN or the no-data value). null: every value counts. */
  readonly valid: Uint8Array | null;
  readonly storedType: StoredType;
  /** `EPSG:n`, else the text of the file (WKT); null: none. */
  readonly crs: string | null;
  readonly transform: Affine | null;
  /** No-data value that the file states. */
  readonly nodata: number | null;
  /** What normalised the numbers, and how they lie since; absent: numbers of the file. */
  readonly normalization?: ImageNormalization;
  /** Bands that no file has: put in by preprocessing, masked, and left alone by normalisation. */
  readonly filledBands?: readonly string[];
  /** Where the bands came from, if they lie apart: key or file with its own type, one a band; a single one holds all. */
  readonly sources?: readonly { readonly key: string; readonly storedType: StoredType }[];
}

/** What a normalisation did to an image. */
export interface ImageNormalization {
  /** Name of the step. */
  readonly by: string;
  /** How each band lies over a dataset: `standard` is mean 0 and spread 1, two numbers are a range; null: nothing is promised. */
  readonly expects: 'standard' | readonly [low: number, high: number] | null;
}

/** Pixels from the upper left corner, as the files give them. */
export interface SampleObject {
  /** Class index of the manifest. */
  readonly label: number;
  readonly box: readonly [xmin: number, ymin: number, xmax: number, ymax: number];
  /** Number of the object in the instance raster, or its place in the file, from 0. */
  readonly id: number;
  /** Outlines, each as x0, y0, x1, y1, …; detection has none. */
  readonly polygons?: readonly (readonly number[])[];
  /** Pixels of the object, where a raster tells them apart. */
  readonly area?: number;
  /** A group in one outline: what falls on it is neither right nor wrong. Default false. */
  readonly isCrowd?: boolean;
  /** Share of its box, 0 … 1, that crops have left; absent: all. */
  readonly visible?: number;
}

/** Where a label map came from, as far as its file says. */
export interface LabelSource {
  /** Name inside the file. */
  readonly key?: string;
  readonly storedType?: StoredType;
  readonly crs?: string | null;
  readonly transform?: Affine | null;
  readonly nodata?: number | null;
}

/** The truth of a sample: one form a kind of task, class indices by the manifest. */
export type Target =
  | { readonly kind: 'class'; readonly label: number }
  /** Multi-label: the classes that are present, ascending. */
  | { readonly kind: 'classes'; readonly labels: readonly number[] }
  /** Segmentation and change detection. */
  | {
      readonly kind: 'mask';
      /** [height, width], mapped by the manifest's label rules. */
      readonly labels: LabelArray;
      /** [height, width], as the file holds them; the same array where nothing is mapped. */
      readonly stored: LabelArray;
      /** Other label maps of the sample by name, e.g. `before` and `after` of a change, `instances`. */
      readonly parts?: Readonly<Record<string, LabelArray>>;
      readonly source?: LabelSource;
    }
  /** Regression. */
  | {
      readonly kind: 'values';
      /** [height, width]. */
      readonly values: Float32Array | Float64Array;
      readonly height: number;
      readonly width: number;
      /** [height, width], 1 = counts; null: all do. */
      readonly valid: Uint8Array | null;
      /** What was done to the stored numbers: (stored − shift) / scale. Absent: nothing. */
      readonly normalization?: { readonly by: string; readonly shift: number; readonly scale: number };
    }
  | { readonly kind: 'boxes'; readonly objects: readonly SampleObject[] }
  | {
      readonly kind: 'instances';
      readonly objects: readonly SampleObject[];
      /** [height, width] class a pixel, where the data has such a map. */
      readonly labels?: LabelArray;
      /** [height, width] object a pixel. */
      readonly instances?: LabelArray;
    };

export type TargetOf<K extends Target['kind']> = Extract<Target, { kind: K }>;

/** What a dataset's `read` returns. */
export interface SampleParts {
  /** By modality of the manifest; one that a sample lacks is left out. */
  readonly images: Readonly<Record<string, SampleImage>>;
  readonly target: Target;
  /** What else the files say about this sample, as stored: dates, usable months, children of a container, place. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** One sample, read. */
export interface Sample extends SampleParts {
  readonly id: string;
  readonly split: string;
  readonly facts: Readonly<Record<string, unknown>>;
}
