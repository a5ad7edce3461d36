import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { encoderSheet } from './manifest-sheets.js';
import type { WheelSource } from './wheel-source.js';
import { wheelSource } from './wheel-source-schema.js';
import { InputError } from '../errors.js';
import { isOnnxPath, onnxManifest } from './onnx/onnx-manifest.js';
import { listManifests, manifestNames, readManifest, type ManifestSchema } from './read-manifest.js';

/** One modality that an encoder takes. */
export interface EncoderModality {
  /** Band ids, in the order of the first layer's channels. Empty: any bands, told apart by their wavelengths. */
  readonly bands: readonly string[];
  /** Centre wavelengths in nanometres, one a band, where the encoder takes such. */
  readonly wavelengths?: readonly number[] | undefined;
}

/** A file on a host that only its page leads to, or that has an address of its own. */
export interface WebSource {
  /** Page from which a person gets the file. */
  readonly page: string;
  /** Address of the file, where anyone may download it. */
  readonly url?: string | undefined;
  readonly revision?: string | undefined;
  /** As the host states it; `not said` where it does not. */
  readonly licence: string;
  /** The host asks for an account or a consent. */
  readonly isGated?: boolean | undefined;
}

/** A checkpoint and what it was trained on. */
export interface EncoderWeights {
  readonly source: WheelSource | WebSource;
  /** Name of the file, or its path inside the wheel. */
  readonly file: string;
  /** null: not known. */
  readonly sha256: string | null;
  readonly bytes?: number | undefined;
  readonly preTraining: string;
  /** Of the checkpoint, where they are others than those that the encoder takes; of its first modality. */
  readonly bands?: readonly string[] | undefined;
  /** How filters of bands that the checkpoint lacks start. Default `random`. */
  readonly newBands?: 'random' | 'mean-of-rgb' | undefined;
  /** What the checkpoint was trained on, of its first modality, and of others where they are known; null: not said. */
  readonly input:
    | (InputScale & {
        readonly others?: Readonly<Record<string, InputScale>> | undefined;
        /** Whether inputs had mean 0 and spread 1 by these numbers; false: another range. Default true. */
        readonly isStandard?: boolean | undefined;
      })
    | null;
}

/** (pixel − mean) / standardDeviation, one number a band. */
export interface InputScale {
  readonly mean: readonly number[];
  readonly standardDeviation: readonly number[];
}

/** One encoder variant. `hyperparameters` are those of its family. */
export interface EncoderManifest {
  readonly id: string;
  readonly family: string;
  readonly title: string;
  readonly reference: string;
  /** Other names in code and result files. */
  readonly aliases: readonly string[];
  /** Benchmarks that use it. */
  readonly benchmarks: readonly string[];
  readonly modalities: Readonly<Record<string, EncoderModality>>;
  /** Pixels of the images that it was trained on, [height, width]; null: any. */
  readonly imageSize: readonly [number, number] | null;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  /** As the benchmark takes them: finest first, plain transformers by depth. Empty for encoders of one's own. */
  readonly features: readonly { readonly channels: number; readonly stride: number }[];
  /** Published count of parameters without a classifier, and who counted; null: not known. */
  readonly parameters: { readonly count: number; readonly source: string } | null;
  /** null: it starts from random numbers. */
  readonly weights: EncoderWeights | null;
  /** Decoder that a benchmark's entry of this name stands for as well. */
  readonly decoder?: string | undefined;
  readonly notes: readonly string[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

const webSource = z.strictObject({
  page: z.url(),
  url: z.url().optional(),
  revision: z.string().optional(),
  licence: z.string(),
  isGated: z.boolean().optional(),
});

const size = z.int().positive();
const inputScale = { mean: z.array(z.number()), standardDeviation: z.array(z.number()) };

const schema = z.strictObject({
  id: z.string(),
  family: z.string(),
  title: z.string(),
  reference: z.string(),
  aliases: z.array(z.string()).default([]),
  benchmarks: z.array(z.string()).default([]),
  modalities: z.record(
    z.string(),
    z.strictObject({ bands: z.array(z.string()), wavelengths: z.array(z.number().positive()).optional() }),
  ),
  imageSize: z.tuple([size, size]).nullable(),
  hyperparameters: z.record(z.string(), z.unknown()),
  features: z.array(z.strictObject({ channels: size, stride: z.number().positive() })).min(1),
  parameters: z.strictObject({ count: size, source: z.string() }).nullable(),
  weights: z
    .strictObject({
      source: z.union([wheelSource, webSource]),
      file: z.string(),
      sha256: z.string().length(64).nullable(),
      bytes: size.optional(),
      preTraining: z.string(),
      bands: z.array(z.string()).min(1).optional(),
      newBands: z.enum(['random', 'mean-of-rgb']).optional(),
      input: z
        .strictObject({
          ...inputScale,
          others: z.record(z.string(), z.strictObject(inputScale)).optional(),
          isStandard: z.boolean().optional(),
        })
        .nullable(),
    })
    .nullable(),
  decoder: z.string().optional(),
  notes: z.array(z.string()).default([]),
});

/** Of an encoder of one's own: its features are those that its code states. */
export const ownEncoderSchema: ManifestSchema<Omit<EncoderManifest, 'hash'>> = schema.extend({
  features: z.tuple([]),
});

/**
 * @param name id, or another name of the encoder; or the path of an ONNX file
 * @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID; FILE_MISSING and ONNX_MODEL for a path
 */
export const readEncoderManifest = (name: string): EncoderManifest =>
  withSheet(isOnnxPath(name) ? onnxManifest(name) : readManifest('encoders', encoderId(name), schema));

/** A manifest that shows itself as a table. */
export const withSheet = (manifest: EncoderManifest): EncoderManifest =>
  showAs<EncoderManifest>(manifest, { bundle: (shown) => sheetBundle(encoderSheet(shown)) });

function encoderId(name: string): string {
  if (listManifests('encoders').includes(name)) return name;
  return manifestNames('encoders').find(({ aliases }) => aliases.includes(name))?.id ?? name;
}

/** Bands of the first modality, in the order of the first layer. */
export const bandsOf = ({ modalities }: EncoderManifest): readonly string[] =>
  Object.values(modalities)[0]?.bands ?? [];

/** Whether a file comes out of a package of the Python Package Index. */
export const isWheel = (source: WheelSource | WebSource): source is WheelSource => 'wheel' in source;

/** The checkpoint of an encoder. @throws InputError WEIGHTS_NONE where it starts from random numbers */
export function weightsOf({ id, weights }: EncoderManifest): EncoderWeights {
  if (weights) return weights;
  throw new InputError('WEIGHTS_NONE', `${id} has no checkpoint: it starts from random numbers.`, {
    where: `data-manifests/encoders/${id}.json`,
    hint: 'Choose its pre-trained counterpart (`gondwana models list`), or run it with random weights.',
  });
}
