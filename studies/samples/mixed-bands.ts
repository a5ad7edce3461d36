import { convolution, defineEncoder, imageOf } from 'gondwana/encoders';

const CHANNELS = 32;

/** A linear layer of the bands of each pixel, to be trained: as many channels as temporal attention can divide. */
export const mixedBands = defineEncoder('mixed-bands', {
  manifest: { modalities: { optical: ['B4'] }, hyperparameters: { bandCount: 1 } },
  hyperparameters: { parse: (given: unknown) => given as { readonly bandCount: number } },
  bandLayers: /^mix\.weight$/,
  build(scope, { bandCount }) {
    const mix = convolution(scope.child('mix'), {
      inChannels: bandCount,
      outChannels: CHANNELS,
      kernelSize: 1,
    });
    return {
      features: [{ channels: CHANNELS, stride: 1 }],
      forward: (input, context) => [mix(imageOf(input, bandCount), context)],
    };
  },
  weights: { rename: [], discard: [] },
});
