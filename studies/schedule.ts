import { defineStudy } from 'gondwana';

/**
 * The warm-up is of the first five of 50 epochs, as in the paper; its main runs keep the rate constant.
 */
export default defineStudy({
  name: 'schedule',
  title: 'Does a schedule or a warm-up of the learning rate matter?',
  source: 'GEO-Bench-2, sections 6.3.8 and 6.3.9',
  protocol: 'geobench2',
  datasets: ['gb2-burn-scars', 'gb2-cloudsen12', 'gb2-spacenet7'],
  encoders: ['convnext-base-timm', 'prithvi-v2-300m-tl'],
  decoders: ['unet-smp'],
  settings: { encoderMode: 'fine-tuned' },
  vary: { schedule: ['constant', 'cosine', 'multi-step'], warmUp: [0, 0.1] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
