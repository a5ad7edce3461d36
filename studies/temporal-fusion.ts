import { defineStudy } from 'gondwana';

/**
 * The mean is ours: it has nothing to learn.
 */
export default defineStudy({
  name: 'temporal-fusion',
  title: 'What makes the best map of several dates?',
  source: 'PANGAEA, Table 10',
  protocol: 'pangaea',
  datasets: ['biomassters', 'crop-type-mapping-ss', 'dynamic-earthnet', 'pastis-r'],
  encoders: ['croma-optical', 'dofa-base', 'ssl4eo-dino'],
  decoders: ['upernet'],
  settings: { modalities: 'optical' },
  vary: { temporal: ['linear', 'ltae', 'mean'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
