import { defineStudy } from 'gondwana';

/**
 * The paper names the ends and the number; the values between are evenly spaced on a logarithmic scale here.
 */
export default defineStudy({
  name: 'learning-rate',
  title: 'Is the common learning rate fair to every encoder?',
  source: 'PANGAEA, Table 13',
  protocol: 'pangaea',
  datasets: ['hls-burn-scars', 'mados'],
  encoders: ['croma-optical', 'dofa-base', 'prithvi-v1-100m'],
  decoders: ['upernet'],
  vary: { learningRate: [1e-2, 3.162e-3, 1e-3, 3.162e-4, 1e-4, 3.162e-5, 1e-5] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
