import { defineStudy } from 'gondwana';
import { sampleFolder } from './folder.ts';

export { floodTiles } from './flood-tiles.ts';
export { pixels } from './pixels.ts';

/** A linear model of pixels. Logistic regression of the reference: mIoU 0.855 optical, 0.716 radar, 0.850 both. */
export default defineStudy({
  name: 'flood-modality',
  title: 'Does radar add to an optical image of a flood?',
  protocol: 'pangaea',
  datasets: ['flood-tiles'],
  encoders: ['pixels'],
  decoders: ['linear-pixel'],
  data: { 'flood-tiles': sampleFolder('sen1floods11-sample') },
  settings: {
    ...{ crop: 'none', evaluation: 'whole', bands: 'adapt', normalization: 'z-score', dropLast: false },
    ...{
      batchSize: 32,
      epochs: 30,
      validateEvery: 1,
      learningRate: 0.03,
      weightDecay: 0,
      schedule: 'cosine',
    },
  },
  vary: { modalities: ['optical', 'sar', 'optical+sar'] },
  seeds: [0, 1, 2],
  quick: { seeds: [0], settings: { epochs: 1 } },
});
