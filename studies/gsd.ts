import { defineStudy } from 'gondwana';

/**
 * Images of the validation and test splits are means over 14 × 14 pixels, brought back to their size; those of the
 * training split stay as they are. That is our reading: the paper names a filter of 14 × 14 and neither its kind nor its
 * stride.
 */
export default defineStudy({
  name: 'gsd',
  title: 'How much does a model rely on a fine ground sampling distance?',
  source: 'GEO-Bench-2, section 6.3.5',
  protocol: 'geobench2',
  datasets: ['gb2-flair2', 'gb2-spacenet2', 'gb2-spacenet7'],
  encoders: ['convnext-base-timm', 'dofa-base', 'satlas-swin-b-naip'],
  decoders: ['unet-smp'],
  settings: { encoderMode: 'fine-tuned' },
  vary: { evaluationResolutionFactor: [1, 14] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
