import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { datasetSheet } from './manifest-sheets.js';
import type { WheelSource } from './wheel-source.js';
import { wheelSource } from './wheel-source-schema.js';
import { readManifest } from './read-manifest.js';

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

export interface SceneDatasetManifest {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly task: 'segmentation';
  readonly sensor: string;
  readonly bands: readonly string[];
  readonly classes: readonly string[];
  /** Class index that losses and metrics leave out; null where every pixel counts. */
  readonly ignoreIndex: number | null;
  readonly splits: readonly string[];
  /** Splits that are scored, with what they say. */
  readonly scoredSplits: readonly { readonly split: string; readonly meaning: string }[];
  readonly source: WheelSource;
  readonly scenes: readonly SceneManifest[];
  readonly notes: readonly string[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

const digest = z.string().length(64);
const schema = z.strictObject({
  id: z.string(),
  title: z.string(),
  reference: z.string(),
  task: z.literal('segmentation'),
  sensor: z.string(),
  bands: z.array(z.string()).min(1),
  classes: z.array(z.string()).min(2),
  ignoreIndex: z.int().nullable(),
  splits: z.array(z.string()).min(1),
  scoredSplits: z.array(z.strictObject({ split: z.string(), meaning: z.string() })),
  source: wheelSource,
  scenes: z.array(
    z.strictObject({
      id: z.string(),
      place: z.string(),
      image: z.string(),
      annotations: z.string(),
      sha256: z.strictObject({ image: digest, annotations: digest }),
      height: z.int().positive(),
      width: z.int().positive(),
      regions: z.array(
        z.strictObject({ split: z.string(), columns: z.tuple([z.int().nonnegative(), z.int().positive()]) }),
      ),
    }),
  ),
  notes: z.array(z.string()),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readSceneDatasetManifest = (id: string): SceneDatasetManifest =>
  showAs<SceneDatasetManifest>(readManifest('datasets', id, schema), {
    bundle: (manifest) => sheetBundle(datasetSheet(manifest)),
  });
