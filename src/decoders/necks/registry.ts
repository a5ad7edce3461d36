import type { FeatureSpec } from '../../encoders/encoder.js';
import type { Scope } from '../../layers/parameters.js';
import { lookUp } from '../../registry.js';
import type { Neck } from './neck.js';

/** Creates a neck's parameters below `scope`. */
export type BuildNeck = (scope: Scope, features: readonly FeatureSpec[]) => Neck;

/** Necks by id. */
export const necks = {
  'rescaled-pyramid': async (): Promise<BuildNeck> => (await import('./rescaled-pyramid.js')).rescaledPyramid,
  'learned-pyramid-neck': async (): Promise<BuildNeck> => (await import('./pyramid-necks.js')).learnedPyramid,
  'fpn-neck': async (): Promise<BuildNeck> => (await import('./pyramid-necks.js')).featurePyramidNeck,
};

/** Names in the references' configurations. */
const aliases: Readonly<Record<string, keyof typeof necks>> = {
  FeaturePyramidNetworkNeck: 'fpn-neck',
  LearnedInterpolateToPyramidal: 'learned-pyramid-neck',
};

/** @throws UsageError NECK_UNKNOWN */
export const getNeck = (id: string): Promise<BuildNeck> =>
  lookUp(necks, Object.hasOwn(aliases, id) ? aliases[id]! : id, 'neck');
