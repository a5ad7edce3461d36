import { assembleDecoder } from '../decoders/assemble-decoder.js';
import { getNeck } from '../decoders/necks/registry.js';
import { resolveDecoder } from '../decoders/register-decoder.js';
import { getTemporalFusion } from '../decoders/temporal/registry.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { CORRECTED } from '../encoders/define-encoder.js';
import { encodeDates } from '../encoders/encode-dates.js';
import { getEncoderFamily } from '../encoders/registry.js';
import { countOperations } from '../engine/shapes/count-operations.js';
import { NOTHING, type OperationCount } from '../engine/shapes/operation-count.js';
import { createValuelessScope, ParameterStore, type Parameter } from '../layers/parameters.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import { sizeOf } from '../shapes.js';
import { bandsFor, blankInput, checkFeatures, sizeFor } from './blank-input.js';
import type { EncoderDescription, LayerCost, ModelCost, ModelCostOptions } from './cost-types.js';

/**
 * Counts parameters and arithmetic of one forward pass for one sample, from the shapes alone: no weights are allocated
 * and nothing is computed.
 * @param encoder id of a manifest, another name of it, or what a manifest would say
 * @throws InputError MANIFEST_UNKNOWN, HYPERPARAMETERS_INVALID, SIZE_MISSING, BANDS_FIXED, and for a size or dates that the
 * model does not take; UsageError DECODER_UNKNOWN, NECK_UNKNOWN, TEMPORAL_FUSION_UNKNOWN; RunError COST_UNKNOWN
 */
export async function modelCost(
  encoder: string | EncoderDescription,
  options: ModelCostOptions = {},
): Promise<ModelCost> {
  const manifest = typeof encoder === 'string' ? readEncoderManifest(encoder) : encoder;
  const [family, decoder, neck, fusion] = await Promise.all([
    getEncoderFamily(manifest.family),
    options.decoder === undefined ? undefined : resolveDecoder(options.decoder),
    options.neck === undefined || options.neck === 'none' ? undefined : getNeck(options.neck),
    options.fusion === undefined ? undefined : getTemporalFusion(options.fusion),
  ]);
  const size = sizeFor(manifest, options.size);
  const { bandCounts, hyperparameters } = bandsFor(manifest, family, options);

  const store = new ParameterStore();
  try {
    const { counts, result } = countOperations((name) => {
      const scope = createValuelessScope(store, name);
      const built = family.build(scope.child('encoder'), hyperparameters, CORRECTED);
      const dateCount = options.dateCount ?? (typeof built.dates === 'number' ? built.dates : 1);
      const behind = decoder && {
        decoder,
        classCount: options.classCount ?? 2,
        dateCount,
        ...(options.decoderHyperparameters && { hyperparameters: options.decoderHyperparameters }),
        ...(options.neck === 'none' ? { neck: null } : neck && { neck }),
        ...(fusion && { fusion }),
      };
      const assembled =
        behind && assembleDecoder(scope.child('decoder'), { ...behind, features: built.features });
      const maps = encodeDates(built, blankInput(manifest, bandCounts, size, dateCount), EVALUATION);
      checkFeatures(manifest, built, maps);
      assembled?.forward(maps, { height: size[0], width: size[1] }, EVALUATION);
      return { dateCount };
    });
    const byLayers = layerCosts(store.all, counts);
    return shown({
      ...{
        encoder: manifest.id,
        decoder: decoder?.id ?? null,
        size,
        bandCounts,
        dateCount: result.dateCount,
      },
      ...totals(byLayers),
      byLayers,
    });
  } finally {
    store.dispose();
  }
}

const EVALUATION = { training: false };

/** Parameters and counts of both, layer by layer in the order of construction; those of equal blocks are one row. */
function layerCosts(
  parameters: readonly Parameter[],
  counts: ReadonlyMap<string, OperationCount>,
): LayerCost[] {
  const rows = new Map<string, { -readonly [K in keyof LayerCost]: LayerCost[K] }>();
  const rowOf = (name: string) => {
    const [part, ...path] = name.split('/') as ['encoder' | 'decoder', ...string[]];
    const layer = (path.length > 1 ? path.slice(0, -1) : path)
      .join('/')
      .replace(/(?<=\/|^)\d+(?=\/|$)/g, '*');
    const key = `${part}/${layer}`;
    const row = rows.get(key) ?? { part, layer, parameters: 0, ...NOTHING };
    rows.set(key, row);
    return row;
  };
  for (const { name, role, variable } of parameters) {
    const row = rowOf(name);
    if (role !== 'statistic' && role !== 'constant') row.parameters += sizeOf(variable.shape);
  }
  for (const [name, count] of counts) {
    const row = rowOf(name || 'encoder/input');
    for (const kind of Object.keys(NOTHING) as (keyof OperationCount)[]) row[kind] += count[kind];
  }
  return [...rows.values()];
}

function totals(rows: readonly LayerCost[]) {
  const sum = (key: keyof OperationCount | 'parameters', part?: LayerCost['part']): number =>
    rows.reduce((total, row) => (part === undefined || row.part === part ? total + row[key] : total), 0);
  return {
    parameters: sum('parameters'),
    encoderParameters: sum('parameters', 'encoder'),
    decoderParameters: sum('parameters', 'decoder'),
    multiplyAdds: sum('multiplyAdds'),
    encoderMultiplyAdds: sum('multiplyAdds', 'encoder'),
    decoderMultiplyAdds: sum('multiplyAdds', 'decoder'),
    activationProducts: sum('activationProducts'),
    transposedConvolutions: sum('transposedConvolutions'),
    otherOperations: sum('otherOperations'),
  };
}

/** A row as tables show it. */
export const layerCostFacts = ({
  part,
  layer,
  parameters,
  multiplyAdds,
  otherOperations,
}: LayerCost): object => ({
  ...{ part, layer, parameters },
  'multiply–adds (10⁶)': Math.round(multiplyAdds / 1e4) / 100,
  'other operations (10⁶)': Math.round(otherOperations / 1e4) / 100,
});

/** What was counted, in a line. */
export const costLine = ({ size, bandCounts, dateCount, parameters, ...cost }: ModelCost): string =>
  [
    `${(cost.multiplyAdds / 1e9).toFixed(2)} · 10⁹ multiply–adds`,
    `${(cost.otherOperations / 1e9).toFixed(2)} · 10⁹ other operations`,
    `${parameters.toLocaleString('en')} parameters`,
    [
      `one sample of ${size.join(' × ')} pixels`,
      Object.entries(bandCounts)
        .map(([name, count]) => `${count} bands ${name}`)
        .join(' and '),
      dateCount === 1 ? 'one date' : `${dateCount} dates`,
    ].join(', '),
  ].join(' · ');

const shown = (cost: ModelCost): ModelCost =>
  showAs(cost, {
    bundle: () =>
      sheetBundle({
        title: cost.decoder === null ? cost.encoder : `${cost.encoder} and ${cost.decoder}`,
        facts: [['counted from shapes', costLine(cost)]],
        tables: [{ rows: cost.byLayers.map(layerCostFacts), maximumRows: 60 }],
      }),
  });
