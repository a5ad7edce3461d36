import { defineEncoder, imageOf } from 'gondwana/encoders';

/** What an encoder must beat: the bands themselves, a pixel a feature. It learns nothing. */
export const pixels = defineEncoder('pixels', {
  manifest: { modalities: { optical: ['B4'] }, hyperparameters: { bandCount: 1 } },
  hyperparameters: { parse: (given: unknown) => given as { readonly bandCount: number } },
  bandLayers: /^none$/,
  build: (_scope, { bandCount }) => ({
    features: [{ channels: bandCount, stride: 1 }],
    forward: (input) => [imageOf(input, bandCount)],
  }),
  weights: { rename: [], discard: [] },
});
