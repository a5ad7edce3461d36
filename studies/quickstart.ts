import { defineStudy } from 'gondwana';

/**
 * The question of PANGAEA's Tables 8 and 12 on airborne images of tree crowns: four arms of a pre-trained
 * encoder, the same network from scratch, and the trivial predictors, which are added by themselves.
 */
export default defineStudy({
  name: 'quickstart',
  title: 'Does fine-tuning beat a frozen encoder, and does normalisation matter?',
  source: 'PANGAEA, Tables 8 and 12',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  vary: { encoderMode: ['frozen', 'fine-tuned'], normalization: ['z-score', 'none'] },
  also: [{ encoderMode: 'fine-tuned', encoderWeights: 'random', normalization: 'z-score' }],
  seeds: [0, 1, 2],
  quick: { seeds: [0], settings: { epochs: 3 } },
});
