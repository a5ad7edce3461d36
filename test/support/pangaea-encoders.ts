import type { EncoderDescription } from '../../src/evaluation/cost-types.js';

const bands = (count: number) => ({
  optical: { bands: Array.from({ length: count }, (_, i) => `B${i + 1}`) },
});
const swin = { width: 128, depths: [2, 2, 18, 2], heads: [4, 8, 16, 32] };

/** PANGAEA's encoders that are described here, at its sizes. */
export const gfmSwin: EncoderDescription = {
  id: 'gfm-swin',
  family: 'gfm-swin',
  modalities: bands(3),
  imageSize: [192, 192],
  hyperparameters: { ...swin, windowSize: 6, imageSize: [192, 192] },
};

export const satlasNet: EncoderDescription = {
  id: 'satlasnet',
  family: 'satlas',
  modalities: bands(9),
  imageSize: [128, 128],
  hyperparameters: { ...swin, bandCount: 9, windowSize: 8 },
};

export const unetEncoder = (bandCount: number): EncoderDescription => ({
  id: 'unet',
  family: 'unet',
  modalities: bands(bandCount),
  imageSize: [224, 224],
  hyperparameters: { bandCount },
});
