import { z } from 'zod';
import { readManifest } from './read-manifest.js';

/** A wheel of the Python Package Index, pinned by its hash. */
export interface EngineWheel {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface EngineFlavourManifest {
  /** Space that an installation takes at its largest moment. */
  readonly freeBytes: number;
  /** Holds TensorFlow's libraries and C headers. */
  readonly wheel: EngineWheel;
  /** Libraries that TensorFlow looks for beside itself. */
  readonly libraries: readonly EngineWheel[];
}

/** What the native engine is built from. */
export interface EngineManifest {
  readonly id: string;
  /** TensorFlow release. */
  readonly version: string;
  readonly reference: string;
  readonly licence: string;
  /** Platform tags of the wheels. */
  readonly platforms: readonly string[];
  readonly pythonVersion: string;
  readonly flavours: { readonly cpu: EngineFlavourManifest; readonly gpu: EngineFlavourManifest };
  /** GPU on which bench/gpu.sh has passed, which writes it here; null: none yet. */
  readonly gpuVerifiedOn: string | null;
}

const wheel = z.strictObject({
  name: z.string(),
  version: z.string(),
  file: z.string(),
  sha256: z.string().length(64),
  bytes: z.int().positive(),
});

const flavour = z.strictObject({ freeBytes: z.int().positive(), wheel, libraries: z.array(wheel) });

const schema = z.strictObject({
  id: z.string(),
  version: z.string(),
  reference: z.string(),
  licence: z.string(),
  platforms: z.array(z.string()).min(1),
  pythonVersion: z.string(),
  flavours: z.strictObject({ cpu: flavour, gpu: flavour }),
  gpuVerifiedOn: z.string().nullable(),
});

/** @throws InputError MANIFEST_INVALID */
export const readEngineManifest = (): EngineManifest => readManifest('engine', 'tensorflow', schema);
