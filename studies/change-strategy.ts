import { defineStudy } from 'gondwana';

/**
 * What the decoder gets of the features of both dates.
 */
export default defineStudy({
  name: 'change-strategy',
  title: 'Is a change better seen in both maps side by side or in their difference?',
  source: 'PANGAEA, Table A15',
  protocol: 'pangaea',
  datasets: ['spacenet7-change'],
  encoders: ['croma-optical', 'dofa-base', 'scale-mae'],
  decoders: ['upernet'],
  vary: { change: ['concat', 'difference'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
