import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of PANGAEA. */
export const pangaea = {
  'hls-burn-scars': async () => (await import('./hls-burn-scars.js')).hlsBurnScars,
} satisfies Registry<DatasetDefinition>;
