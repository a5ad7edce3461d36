import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import { createShapeScope, type ParameterShape } from '../layers/parameters.js';
import { sizeOf } from '../shapes.js';
import { CORRECTED } from './define-encoder.js';
import type { FeatureSpec } from './encoder.js';
import { getEncoderFamily } from './registry.js';

/** An encoder's layers by size. */
export interface EncoderSize {
  readonly encoder: string;
  /** Learned numbers; running statistics and fixed tables are not among them. */
  readonly parameterCount: number;
  readonly features: readonly FeatureSpec[];
  /** In the order of construction, axes as in memory. */
  readonly parameters: readonly ParameterShape[];
}

/**
 * Counts an encoder's parameters from its manifest; no weights are allocated.
 * @param encoder id of a manifest, or another name of it
 * @param changes hyperparameters put over those of the manifest, e.g. `{ bandCount: 13 }`
 * @throws InputError MANIFEST_UNKNOWN, HYPERPARAMETERS_INVALID
 */
export async function encoderSize(
  encoder: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<EncoderSize> {
  const manifest = readEncoderManifest(encoder);
  const family = await getEncoderFamily(manifest.family);
  const parameters: ParameterShape[] = [];
  const { features } = family.build(
    createShapeScope(parameters),
    { ...manifest.hyperparameters, ...changes },
    CORRECTED,
  );
  const parameterCount = parameters
    .filter(({ role }) => role !== 'statistic' && role !== 'constant')
    .reduce((sum, { shape }) => sum + sizeOf(shape), 0);
  return { encoder: manifest.id, parameterCount, features, parameters };
}
