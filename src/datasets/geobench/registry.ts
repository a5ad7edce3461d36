import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of GEO-Bench. */
export const geobench = {
  'm-bigearthnet': async () => (await import('./datasets.js')).mBigearthnet,
  'm-so2sat': async () => (await import('./datasets.js')).mSo2sat,
  'm-brick-kiln': async () => (await import('./datasets.js')).mBrickKiln,
  'm-forestnet': async () => (await import('./datasets.js')).mForestnet,
  'm-eurosat': async () => (await import('./datasets.js')).mEurosat,
  'm-pv4ger': async () => (await import('./datasets.js')).mPv4ger,
  'm-pv4ger-seg': async () => (await import('./datasets.js')).mPv4gerSeg,
  'm-chesapeake-landcover': async () => (await import('./datasets.js')).mChesapeakeLandcover,
  'm-cashew-plantation': async () => (await import('./datasets.js')).mCashewPlantation,
  'm-sa-crop-type': async () => (await import('./datasets.js')).mSaCropType,
  'm-nz-cattle': async () => (await import('./datasets.js')).mNzCattle,
  'm-neontree': async () => (await import('./datasets.js')).mNeontree,
} satisfies Registry<DatasetDefinition>;
