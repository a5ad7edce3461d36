import { defineStudy } from 'gondwana';

/**
 * Differs: the single date is the first of the twelve; the paper's is the seventh.
 */
export default defineStudy({
  name: 'mono-vs-multi-temporal',
  title: 'What are twelve dates worth over a single one?',
  source: 'PANGAEA, Table A18; GEO-Bench-2, section 6.3.7',
  protocol: 'pangaea',
  datasets: ['biomassters'],
  encoders: ['croma-optical', 'dofa-base', 'ssl4eo-dino'],
  decoders: ['upernet'],
  settings: { modalities: 'optical' },
  vary: { dates: [1, 12] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
