import { defineStudy } from 'gondwana';

/**
 * One encoder of both modalities sees each alone and the two together.
 */
export default defineStudy({
  name: 'modality',
  title: 'Does radar add to optical images, and does it do alone?',
  source: 'PANGAEA, Tables A3 and A12; GEO-Bench-2, section 6.3.6',
  protocol: 'pangaea',
  datasets: ['crop-type-mapping-ss', 'pastis-r'],
  encoders: ['dofa-base', 'terramind-v1-base'],
  decoders: ['upernet'],
  vary: { modalities: ['optical', 'sar', 'optical+sar'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
