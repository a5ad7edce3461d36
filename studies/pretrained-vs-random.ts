import { defineStudy } from 'gondwana';

/**
 * The same network from scratch, for the bands of the dataset in both arms.
 */
export default defineStudy({
  name: 'pretrained-vs-random',
  title: 'What is the pre-training worth?',
  source: 'GEO-Bench, Figures 4 and 9',
  protocol: 'geobench',
  datasets: ['m-brick-kiln', 'm-eurosat', 'm-forestnet', 'm-so2sat'],
  encoders: ['resnet50-moco-s2', 'resnet50-timm', 'vit-small-timm'],
  decoders: ['linear-head'],
  settings: { encoderMode: 'fine-tuned' },
  vary: { encoderWeights: ['pretrained', 'random'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
