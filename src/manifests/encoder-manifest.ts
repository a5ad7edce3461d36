import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { encoderSheet } from './manifest-sheets.js';
import type { WheelSource } from './wheel-source.js';
import { wheelSource } from './wheel-source-schema.js';
import { readManifest } from './read-manifest.js';

/** One encoder variant. `hyperparameters` are those of its family. */
export interface EncoderManifest {
  readonly id: string;
  readonly family: string;
  readonly title: string;
  readonly reference: string;
  readonly bands: readonly string[];
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  /** Finest first. */
  readonly features: readonly { readonly channels: number; readonly stride: number }[];
  readonly weights: {
    readonly source: WheelSource;
    /** Path inside the wheel. */
    readonly file: string;
    readonly sha256: string;
    readonly preTraining: string;
    /** What the checkpoint was trained on: (pixel − mean) / standardDeviation, pixels 0 … 255. */
    readonly input: { readonly mean: readonly number[]; readonly standardDeviation: readonly number[] };
  };
  /** sha256 of the manifest file. */
  readonly hash: string;
}

const schema = z.strictObject({
  id: z.string(),
  family: z.string(),
  title: z.string(),
  reference: z.string(),
  bands: z.array(z.string()),
  hyperparameters: z.record(z.string(), z.unknown()),
  features: z.array(z.strictObject({ channels: z.int().positive(), stride: z.int().positive() })).min(1),
  weights: z.strictObject({
    source: wheelSource,
    file: z.string(),
    sha256: z.string().length(64),
    preTraining: z.string(),
    input: z.strictObject({ mean: z.array(z.number()), standardDeviation: z.array(z.number()) }),
  }),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readEncoderManifest = (id: string): EncoderManifest =>
  showAs<EncoderManifest>(readManifest('encoders', id, schema), {
    bundle: (manifest) => sheetBundle(encoderSheet(manifest)),
  });
