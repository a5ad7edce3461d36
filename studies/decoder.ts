import { defineStudy } from 'gondwana';

/**
 * The paper puts one linear layer in the place of the U-Net; the other decoders are ours.
 */
export default defineStudy({
  name: 'decoder',
  title: 'How much of a score is the decoder?',
  source: 'GEO-Bench-2, section 6.3.3',
  protocol: 'geobench2',
  datasets: ['gb2-burn-scars', 'gb2-cloudsen12'],
  encoders: ['convnext-base-timm', 'prithvi-v2-300m-tl'],
  decoders: ['unet-smp', 'upernet', 'fpn', 'deeplabv3plus', 'linear-pixel'],
  settings: { encoderMode: 'fine-tuned' },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
