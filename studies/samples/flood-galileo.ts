import { defineStudy } from 'gondwana';
import { sampleFolder } from './folder.ts';

export { floodTiles } from './flood-tiles.ts';

/** A pre-trained encoder on tiles of 16 × 16 pixels. */
export default defineStudy({
  name: 'flood-galileo',
  title: 'Frozen or fine-tuned: which Galileo finds more water, and by which sensor?',
  protocol: 'pangaea',
  datasets: ['flood-tiles'],
  encoders: ['galileo-nano'],
  decoders: ['linear-pixel'],
  data: { 'flood-tiles': sampleFolder('sen1floods11-sample') },
  weights: { 'galileo-nano': `${sampleFolder('weights-galileo-nano')}/encoder.pt` },
  settings: {
    ...{ crop: 'none', evaluation: 'whole', bands: 'match', normalization: 'model', dropLast: false },
    ...{ batchSize: 32, epochs: 20, validateEvery: 1, learningRate: 0.02, encoderLearningRate: 0.0001 },
    ...{ weightDecay: 0.01, schedule: 'cosine' },
  },
  vary: { modalities: ['optical+ndvi', 'sar', 'optical+sar+ndvi'] },
  // trained, it needs fewer epochs: its decoder moves at a slower rate
  also: [{ encoderMode: 'fine-tuned', modalities: 'optical+ndvi', epochs: 6, learningRate: 0.001 }],
  seeds: [0, 1, 2],
  quick: { seeds: [0], settings: { epochs: 1 } },
});
