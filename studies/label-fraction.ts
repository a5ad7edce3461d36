import { defineStudy } from 'gondwana';

/**
 * PANGAEA has 0.1, 0.5 and 1; the seven are those of GEO-Bench. A smaller share of one seed is part of a larger one.
 */
export default defineStudy({
  name: 'label-fraction',
  title: 'How many labels does a pre-trained encoder save?',
  source: 'PANGAEA, Tables 6 and 7; GEO-Bench, Figure 5',
  protocol: 'pangaea',
  datasets: ['hls-burn-scars', 'mados', 'sen1floods11'],
  encoders: ['croma-optical', 'dofa-base', 'prithvi-v1-100m'],
  decoders: ['upernet'],
  vary: { labelFraction: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
