import type { Registry } from '../../registry.js';
import type { DatasetDefinition } from '../dataset.js';

/** Datasets of GEO-Bench-2. */
export const geobench2 = {
  'gb2-benv2': async () => (await import('./benv2.js')).benv2,
  'gb2-treesatai': async () => (await import('./treesatai.js')).treesatai,
  'gb2-so2sat': async () => (await import('./so2sat.js')).so2sat,
  'gb2-forestnet': async () => (await import('./forestnet.js')).forestnet,
  'gb2-biomassters': async () => (await import('./biomassters.js')).biomassters,
  'gb2-caffe': async () => (await import('./caffe.js')).caffe,
  'gb2-cloudsen12': async () => (await import('./cloudsen12.js')).cloudsen12,
  'gb2-burn-scars': async () => (await import('./burn-scars.js')).burnScars,
  'gb2-dynamic-earthnet': async () => (await import('./dynamic-earthnet.js')).dynamicEarthnet,
  'gb2-flair2': async () => (await import('./flair2.js')).flair2,
  'gb2-ftw': async () => (await import('./ftw.js')).ftw,
  'gb2-kuro-siwo': async () => (await import('./kuro-siwo.js')).kuroSiwo,
  'gb2-pastis': async () => (await import('./pastis.js')).pastis,
  'gb2-spacenet2': async () => (await import('./spacenet2.js')).spacenet2,
  'gb2-spacenet7': async () => (await import('./spacenet7.js')).spacenet7,
  'gb2-everwatch': async () => (await import('./everwatch.js')).everwatch,
  'gb2-nz-cattle': async () => (await import('./nz-cattle.js')).nzCattle,
  'gb2-pastis-panoptic': async () => (await import('./pastis.js')).pastisPanoptic,
  'gb2-substation': async () => (await import('./substation.js')).substation,
} satisfies Registry<DatasetDefinition>;
