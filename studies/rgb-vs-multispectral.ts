import { defineStudy } from 'gondwana';

/**
 * The first layer is cut to red, green and blue, or to the bands of the dataset.
 */
export default defineStudy({
  name: 'rgb-vs-multispectral',
  title: 'What are bands beyond red, green and blue worth?',
  source: 'GEO-Bench-2, section 6.3.4',
  protocol: 'geobench2',
  datasets: ['gb2-burn-scars', 'gb2-cloudsen12'],
  encoders: ['dofa-base', 'prithvi-v2-300m-tl', 'terramind-v1-base'],
  decoders: ['unet-smp'],
  settings: { encoderMode: 'fine-tuned' },
  vary: { bands: ['adapt', 'rgb'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
