import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of PANGAEA. */
export const pangaea = {
  'hls-burn-scars': async () => (await import('./hls-burn-scars.js')).hlsBurnScars,
  mados: async () => (await import('./mados.js')).mados,
  'pastis-r': async () => (await import('./pastis-r.js')).pastisR,
  sen1floods11: async () => (await import('./sen1floods11.js')).sen1floods11,
  xview2: async () => (await import('./xview2.js')).xview2,
  'dynamic-earthnet': async () => (await import('./dynamic-earthnet.js')).dynamicEarthnet,
  'crop-type-mapping-ss': async () => (await import('./crop-type-mapping-ss.js')).cropTypeMappingSs,
  'spacenet7-change': async () => (await import('./spacenet7-change.js')).spacenet7Change,
  ai4smallfarms: async () => (await import('./ai4smallfarms.js')).ai4smallfarms,
  biomassters: async () => (await import('./biomassters.js')).biomassters,
} satisfies Registry<DatasetDefinition>;
