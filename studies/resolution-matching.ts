import { defineStudy } from 'gondwana';

/**
 * Crops keep the resolution of Gaofen-2, 4 m; a whole tile resized to the encoder's input comes nearer to the one it was
 * pre-trained at.
 */
export default defineStudy({
  name: 'resolution-matching',
  title: 'Does it help to bring images nearer to the resolution of the pre-training?',
  source: 'PANGAEA, Table 9',
  protocol: 'pangaea',
  datasets: ['five-billion-pixels'],
  encoders: ['croma-optical', 'prithvi-v1-100m', 'ssl4eo-dino'],
  decoders: ['upernet'],
  vary: { crop: ['random'] },
  also: [{ crop: 'resize', evaluation: 'whole' }],
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
