import { defineStudy } from 'gondwana';

/**
 * Encoders of three bands: the first layer is widened to the bands of the dataset, or the dataset is cut to the three.
 */
export default defineStudy({
  name: 'new-bands',
  title: 'How should the filters of bands start that the pre-training has not seen?',
  source: 'GEO-Bench, Figures 6 and 7',
  protocol: 'geobench',
  datasets: ['m-bigearthnet', 'm-brick-kiln', 'm-eurosat', 'm-so2sat'],
  encoders: ['resnet50-timm', 'vit-small-timm'],
  decoders: ['linear-head'],
  settings: { encoderMode: 'fine-tuned' },
  vary: { bands: ['adapt'], newBands: ['random', 'mean-of-rgb'] },
  also: [{ bands: 'rgb' }],
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
