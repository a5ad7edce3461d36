import { defineStudy } from 'gondwana';

/**
 * What the paper compares is `z-score` and `none`; the other two kinds are ours.
 */
export default defineStudy({
  name: 'normalisation',
  title: 'Does normalising the input matter, and does the kind?',
  source: 'PANGAEA, Table 8',
  protocol: 'pangaea',
  datasets: ['hls-burn-scars', 'mados', 'spacenet7-change'],
  encoders: ['croma-optical', 'dofa-base', 'prithvi-v1-100m'],
  decoders: ['upernet'],
  vary: { normalization: ['z-score', 'min-max', 'percentile', 'none'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
