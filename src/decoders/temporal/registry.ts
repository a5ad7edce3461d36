import { lookUp } from '../../registry.js';
import type { BuildFusion } from './temporal-fusion.js';

/** Temporal fusions by id. */
export const temporalFusions = {
  'temporal-linear': async (): Promise<BuildFusion> => (await import('./fusions.js')).temporalLinear,
  'temporal-ltae': async (): Promise<BuildFusion> => {
    const { temporalLtae } = await import('./fusions.js');
    return (scope, features) => temporalLtae(scope, features);
  },
  'temporal-mean': async (): Promise<BuildFusion> => (await import('./fusions.js')).temporalMean,
  'siamese-concat': async (): Promise<BuildFusion> => (await import('./fusions.js')).siameseConcat,
  'siamese-diff': async (): Promise<BuildFusion> => (await import('./fusions.js')).siameseDifference,
};

/** Names in the references' configurations. */
const aliases: Readonly<Record<string, keyof typeof temporalFusions>> = {
  linear: 'temporal-linear',
  ltae: 'temporal-ltae',
  mean: 'temporal-mean',
  seg_siamupernet_conc: 'siamese-concat',
  seg_siamupernet_diff: 'siamese-diff',
};

/** @throws UsageError TEMPORAL_FUSION_UNKNOWN */
export const getTemporalFusion = (id: string): Promise<BuildFusion> =>
  lookUp(temporalFusions, Object.hasOwn(aliases, id) ? aliases[id]! : id, 'temporal fusion');
