import { showAs } from '../display/showable.js';
import { sheetBundle } from '../display/sheet.js';
import { encoderSheet } from '../manifests/manifest-sheets.js';
import { createShapeScope, type ParameterShape } from '../layers/parameters.js';
import { sizeOf } from '../shapes.js';
import { CORRECTED } from './define-encoder.js';
import type { FeatureSpec } from './feature-spec.js';
import type { OwnEncoder } from './own-encoder.js';
import { resolveEncoder } from './register-encoder.js';

/** Parameters of one name and shape; those of equal blocks are one row. */
export interface LayerRow {
  /** Path with `*` for the numbers of equal blocks: `blocks/*`, then `attn/qkv/kernel`. */
  readonly layer: string;
  /** Axes as in memory. */
  readonly shape: readonly number[];
  /** How many blocks have it. */
  readonly times: number;
  /** Of all of them together. */
  readonly parameters: number;
}

/** An encoder's layers by size. In a notebook it shows itself as a table. */
export interface EncoderSize {
  readonly encoder: string;
  /** Learned numbers; running statistics and fixed tables are not among them. */
  readonly parameterCount: number;
  readonly features: readonly FeatureSpec[];
  readonly layers: readonly LayerRow[];
}

/**
 * Counts an encoder's parameters from its manifest; no weights are allocated.
 * @param encoder id of a manifest, or another name of it; or what `defineEncoder` makes
 * @param changes hyperparameters put over those of the manifest, e.g. `{ bandCount: 13 }`
 * @throws InputError MANIFEST_UNKNOWN, HYPERPARAMETERS_INVALID
 */
export async function encoderSize(
  encoder: string | OwnEncoder,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<EncoderSize> {
  const { manifest, family } = await resolveEncoder(encoder);
  const shapes: ParameterShape[] = [];
  const hyperparameters = { ...manifest.hyperparameters, ...changes };
  const { features } = family.build(createShapeScope(shapes), hyperparameters, CORRECTED);
  const parameterCount = shapes.filter(isLearned).reduce((sum, { shape }) => sum + sizeOf(shape), 0);
  const size: EncoderSize = { encoder: manifest.id, parameterCount, features, layers: layerRows(shapes) };
  return showAs(size, {
    bundle: () => {
      const { facts = [], ...sheet } = encoderSheet(manifest);
      return sheetBundle({
        ...sheet,
        facts: [...facts, ['counted', parameterCount.toLocaleString('en')]],
        tables: [{ rows: size.layers.map(layerFacts) }],
      });
    },
  });
}

/** A row as tables show it. */
export const layerFacts = ({ layer, shape, times, parameters }: LayerRow): object => ({
  layer,
  shape: shape.join(' × ') || 'one number',
  times,
  parameters,
});

const isLearned = ({ role }: ParameterShape): boolean => role !== 'statistic' && role !== 'constant';

function layerRows(shapes: readonly ParameterShape[]): LayerRow[] {
  const rows = new Map<string, { layer: string; shape: readonly number[]; times: number }>();
  for (const { name, shape } of shapes.filter(isLearned)) {
    const layer = name.replace(/(?<=\/|^)\d+(?=\/|$)/g, '*');
    const key = `${layer} ${shape.join()}`;
    const row = rows.get(key);
    if (row) row.times++;
    else rows.set(key, { layer, shape, times: 1 });
  }
  return [...rows.values()].map((row) => ({ ...row, parameters: row.times * sizeOf(row.shape) }));
}
